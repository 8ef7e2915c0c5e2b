/**
 * Plans a landing (LD1): makes every object that it will need, which no ref names, and says what
 * stands in the way. Nothing that anybody sees is changed. The same request later makes the same
 * plan, unless something has moved.
 */
import { hash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isBelow } from '../../platform/files/path-inside.ts'
import type { CoordinatorRequest } from '../../protocol/processes/coordinator-requests.ts'
import {
  type ConflictFile,
  type LandingBlock,
  type LandingStep,
  type MadePlan,
  maxConflictFiles,
  type StepOf,
} from '../../protocol/review/landing-requests.ts'
import { combine, isBehind } from '../worktrees/combine.ts'
import { stageWork, stripped } from '../worktrees/commit.ts'
import { displayName } from '../worktrees/file-names.ts'
import { personsSettings } from '../worktrees/git-settings.ts'
import { checkoutBlock, tipOf } from '../worktrees/move-checkout.ts'
import { listWorktrees, type OurWorktree, type Repository } from '../worktrees/repository.ts'
import { mergeCommand } from '../worktrees/worktree-state.ts'
import { identityOf } from './identity.ts'
import { remoteOf, repositoryAt, transportOf } from './remote.ts'

export type PlanRequest = Extract<CoordinatorRequest, { kind: 'land-plan' }>

class Findings {
  readonly blocks: LandingBlock[] = []
  readonly about: Partial<Record<LandingBlock, string>> = {}
  readonly notes: string[] = []

  block(code: LandingBlock, about?: string): void {
    if (!this.blocks.includes(code)) this.blocks.push(code)
    if (about !== undefined) this.about[code] ??= about
  }
}

export async function planLanding(
  worktree: OurWorktree,
  ask: PlanRequest,
  leftAlone: string | null,
): Promise<MadePlan> {
  const { repository, record } = worktree
  const found = new Findings()
  const into = ask.into ?? record.baseBranch
  const identity = identityOf(ask.signature, (await personsSettings(repository.git)).settings)
  const staged = await stageWork(worktree, join(repository.place.dir, 'land-index'))
  for (const path of staged.left) found.notes.push(`left_out: ${path}`)
  if (staged.filtered !== undefined) found.block('needs_filter', staged.filtered)
  noteHooks(repository, found)
  const head = repository.facts.head
  const steps: LandingStep[] = []
  let commit = head
  if (staged.tree !== undefined) {
    const message = stripped(withCoAuthor(ask.message, ask.coAuthor))
    const parents = [head, ...staged.merged].flatMap((id) => ['-p', id])
    const args = ['commit-tree', staged.tree, ...parents, '-F', '-']
    commit = (await repository.run(args, { input: message, env: identity.env })).trim()
    const made = { tree: staged.tree, parent: head, commit, message, author: identity.author }
    steps.push({ do: 'commit', files: staged.files, ...made })
  }
  if (await hasMarkers(worktree, commit)) found.block('markers_left')
  if (ask.check !== null) {
    const tree = (await repository.run(['rev-parse', `${commit}^{tree}`])).trim()
    steps.push({ do: 'check', command: ask.check, tree })
  }
  const local = { commit, steps, found, identity, leftAlone }
  const isRemote = ask.how === 'push' || ask.how === 'pull-request'
  if (isRemote) planPush(worktree, { ...ask, into }, local)
  const landed = isRemote
    ? { tip: null, commit, conflicts: [] }
    : await planMove(worktree, { ...ask, into }, local)
  const plan: Omit<MadePlan, 'plan'> = {
    how: ask.how,
    branch: record.branch,
    into,
    head,
    tip: landed.tip,
    commit: landed.commit,
    blocks: found.blocks,
    about: found.about,
    notes: found.notes,
    conflicts: landed.conflicts,
    steps,
    command:
      into === null || isRemote
        ? `git push ${remoteOf(repository.settings)?.name ?? 'origin'} ${record.branch}`
        : mergeCommand(record.branch, into, ask.how === 'rebase' ? 'rebase' : 'merge'),
  }
  return { plan: await planHash(repository, plan), ...plan }
}

interface Begun {
  readonly commit: string
  readonly steps: LandingStep[]
  readonly found: Findings
  readonly identity: { readonly env: Readonly<Record<string, string>> }
  readonly leftAlone: string | null
}

async function planMove(
  { repository, record }: OurWorktree,
  ask: PlanRequest,
  { commit, steps, found, identity, leftAlone }: Begun,
): Promise<{ tip: string | null; commit: string; conflicts: ConflictFile[] }> {
  const nothing = { tip: null, commit, conflicts: [] }
  const { into, how } = ask
  const tip = into === null ? undefined : await tipOf(repository, into)
  if (into === null || tip === undefined) {
    found.block('branch_of_another', into ?? '')
    return nothing
  }
  const holder = listWorktrees(repository).find(({ branch }) => branch === into)
  if (!ask.ofCaller && holder && leftAlone !== null && isBelow(leftAlone, holder.folder))
    found.block('branch_of_another', into)
  if (ask.protectedBranches.includes(into)) found.block('branch_protected', into)
  if (await isBehind(repository, commit, tip)) {
    found.block('nothing_to_land')
    return { ...nothing, tip }
  }
  const isAhead = await isBehind(repository, tip, commit)
  const message = withCoAuthor(ask.message, ask.coAuthor)
  const title = `Merge branch '${record.branch}' into ${into}`
  const words = how === 'merge' && steps.some((step) => step.do === 'commit') ? title : message
  const way = how === 'rebase' || how === 'squash' ? how : 'merge'
  const made =
    isAhead && way !== 'squash'
      ? { commit }
      : await combine(repository, way, {
          theirs: tip,
          ours: commit,
          message: words,
          env: identity.env,
        })
  if ('files' in made) {
    found.block('merge_conflict')
    const files = made.files.slice(0, maxConflictFiles)
    return { ...nothing, tip, conflicts: await sidesOf(repository, files, { tip, commit }) }
  }
  const step: StepOf<'move'> = {
    do: 'move',
    branch: into,
    by: isAhead && way !== 'squash' ? 'fast-forward' : way,
    from: tip,
    to: made.commit,
    checkout: holder?.folder ?? null,
  }
  if (holder) {
    const block = await checkoutBlock(repository, holder.folder, step)
    if (block) found.block(block.code, block.about)
  }
  steps.push(step)
  return { tip, commit: made.commit, conflicts: [] }
}

function planPush(
  { repository, record }: OurWorktree,
  { address: pinned, into, how, title }: PlanRequest,
  { commit, steps, found }: Begun,
): void {
  const remote = remoteOf(repository.settings)
  if (!remote || transportOf(remote.address) === undefined)
    return found.block('no_remote', remote?.address)
  const { address } = remote
  if (pinned !== null && pinned !== address)
    return found.block('remote_changed', `${pinned} → ${address}`)
  const { branch } = record
  const head = branch.replace(/^holdfast\//, '').replaceAll('/', '-')
  const names = { branch, remoteBranch: `holdfast/${head}` }
  steps.push({ do: 'push', ...names, address, old: null, new: commit })
  if (how !== 'pull-request') return
  const at = repositoryAt(address)
  if (at === undefined || into === null) return found.block('no_remote', address)
  steps.push({
    do: 'pull-request',
    repository: at,
    head: names.remoteBranch,
    base: into,
    title: title.slice(0, 250),
  })
}

/** What was last done to each file on both sides. */
async function sidesOf(
  repository: Repository,
  files: readonly string[],
  { tip, commit }: { readonly tip: string; readonly commit: string },
): Promise<ConflictFile[]> {
  const lastOf = async (at: string, path: string) => {
    const args = ['log', '-1', '--format=%h%x00%an%x00%s', at, '--', `:(top,literal)${path}`]
    const { code, stdout } = await repository.try(args)
    const [id = '', author = '', subject = ''] = stdout.trim().split('\0')
    return code === 0 && id !== '' ? { commit: id, author, subject } : null
  }
  const found: ConflictFile[] = []
  for (const path of files)
    found.push({ path, ours: await lastOf(commit, path), theirs: await lastOf(tip, path) })
  return found
}

/** Markers of a merge that its agent has not resolved, in what it changed. */
async function hasMarkers(worktree: OurWorktree, commit: string): Promise<boolean> {
  const args = ['diff-tree', '-r', '--check', '--no-ext-diff', await worktree.forkPoint(), commit]
  const { stdout } = await worktree.repository.try(args)
  return stdout.includes(': leftover conflict marker')
}

/** Hooks are not run outside of a sandbox: an agent may have written them just now. */
function noteHooks({ facts, settings }: Repository, found: Findings): void {
  const folders = [join(facts.commonFolder, 'hooks'), join(facts.top, '.husky')]
  const elsewhere = settings.get('core.hookspath')
  if (elsewhere !== undefined) found.notes.push(`hooks_not_run: ${elsewhere}`)
  const names = folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
  const hooks = names.filter((name) =>
    ['pre-commit', 'commit-msg', 'prepare-commit-msg', 'pre-push', 'pre-merge-commit'].includes(
      name,
    ),
  )
  if (hooks.length > 0) found.notes.push(`hooks_not_run: ${[...new Set(hooks)].join(', ')}`)
}

const withCoAuthor = (message: string, coAuthor: string | null): string =>
  coAuthor === null ? message : `${message.trimEnd()}\n\nCo-authored-by: ${coAuthor}\n`

/** Dates and messages are chosen when the button is pressed; trees, tips and names are not. */
async function planHash(repository: Repository, plan: Omit<MadePlan, 'plan'>): Promise<string> {
  const { how, branch, into, head, tip, blocks } = plan
  const trees = await Promise.all(
    plan.steps.map(async (step) => {
      if (step.do === 'commit') return [step.do, step.tree]
      if (step.do !== 'move') return [step.do, JSON.stringify(step)]
      const tree = (await repository.run(['rev-parse', `${step.to}^{tree}`])).trim()
      return [step.do, step.branch, step.by, step.from, tree]
    }),
  )
  const files = plan.conflicts.map(({ path }) => displayName(Buffer.from(path)))
  return hash('sha256', JSON.stringify([how, branch, into, head, tip, blocks, trees, files])).slice(
    0,
    32,
  )
}
