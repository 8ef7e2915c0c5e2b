/**
 * Carries out a step of a landing (LD2). All that it needs was chosen by the plan, so a step that
 * was cut off is completed when it is asked for again, and one that is done is answered as before.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CoordinatorRequest } from '../../protocol/processes/coordinator-requests.ts'
import type { StepAnswer, StepOf } from '../../protocol/review/landing-requests.ts'
import { DetailError, textOf } from '../../protocol/status-texts.ts'
import { withLockedIndex } from '../worktrees/checkout-lock.ts'
import { operationFiles, showRepositories } from '../worktrees/commit.ts'
import { copyIndex, indexFactsOf, leaveAway, uncommittedIn } from '../worktrees/look.ts'
import { moveBranch, tipOf } from '../worktrees/move-checkout.ts'
import { moveHead } from '../worktrees/move-head.ts'
import type { OurWorktree, Repository } from '../worktrees/repository.ts'
import { onDisk } from './on-disk.ts'
import { type Credential, push } from './push.ts'
import { type CheckOptions, runCheck } from './run-check.ts'

type StepRequest = Extract<CoordinatorRequest, { kind: 'land-step' }>
type UndoRequest = Extract<CoordinatorRequest, { kind: 'land-undo' }>

const done: StepAnswer = { outcome: 'done' }
const refused = (
  code: Extract<StepAnswer, { outcome: 'refused' }>['code'],
  why: string,
): StepAnswer => ({ outcome: 'refused', code, why })

export interface StepMachine extends Pick<CheckOptions, 'git' | 'clock' | 'env' | 'dataFolder'> {
  /** Asks the server for what a push signs in with, for this step alone. */
  readonly credential: (step: { landingId: string; n: number }) => Promise<Credential | null>
}

export async function runStep(
  worktree: OurWorktree,
  { step, isolation = null, landingId = '', n = 0 }: StepRequest,
  machine?: StepMachine,
): Promise<StepAnswer> {
  try {
    switch (step.do) {
      case 'commit':
        return await withSyncs(worktree, () => commit(worktree, step))
      case 'move':
        return await withSyncs(worktree, () => move(worktree.repository, step), step.checkout)
      case 'check': {
        const { repository, top: folder } = worktree
        if (!machine) break
        const now = await repository.run(['rev-parse', `${repository.facts.head}^{tree}`])
        if (now.trim() !== step.tree) return refused('plan_changed', now.trim())
        return await runCheck({ ...machine, folder, command: step.command, isolation })
      }
      case 'push':
        if (!machine) break
        return await push(worktree.repository, step, await machine.credential({ landingId, n }))
      case 'pull-request':
        break
    }
    return refused('git_refused', `nobody here can do this: ${step.do}`)
  } catch (error) {
    if (error instanceof DetailError) return refused('git_refused', textOf(error.detail))
    throw error
  }
}

/** On disk before a branch names it, and before anybody is told. */
async function withSyncs(
  { repository, top }: OurWorktree,
  work: () => Promise<StepAnswer>,
  checkout: string | null = null,
): Promise<StepAnswer> {
  const folders = [repository.facts.commonFolder, top, ...(checkout === null ? [] : [checkout])]
  await onDisk(repository.git, folders)
  const answer = await work()
  await onDisk(repository.git, folders)
  return answer
}

async function commit(
  { repository, gitFolder }: OurWorktree,
  { tree, parent, commit: made, message }: StepOf<'commit'>,
): Promise<StepAnswer> {
  return withLockedIndex(gitFolder, async (index) => {
    const { head } = repository.facts
    if (head !== parent && head !== made) return refused('plan_changed', head)
    // So that our index knows the files.
    await uncommittedIn(repository)
    const staged = `${repository.indexFile}.commit`
    try {
      if (head === parent)
        await moveHead(repository, parent, made, `commit: ${message.split('\n', 1)[0]}`)
      await copyIndex(repository.indexFile, staged)
      const env = { GIT_INDEX_FILE: staged }
      await repository.run(['read-tree', '-m', '-i', tree], { env })
      await repository.try(['update-index', '-q', '--ignore-submodules', '--refresh'], { env })
      await showRepositories(repository, staged)
      await leaveAway(repository, staged, indexFactsOf(repository))
      await index.replaceBy(staged)
      for (const name of operationFiles) await rm(join(gitFolder, name), { force: true })
      return done
    } finally {
      for (const file of [staged, `${staged}.lock`]) await rm(file, { force: true })
    }
  })
}

async function move(repository: Repository, step: StepOf<'move'>): Promise<StepAnswer> {
  const moved = await moveBranch(
    repository,
    { target: step.branch, from: step.from, to: step.to },
    { isLanding: true },
  )
  if (moved.outcome === 'done') return done
  const codes = {
    target_in_use: 'base_in_use',
    moved: 'plan_changed',
    no_branch: 'plan_changed',
    needs_filter: 'needs_filter',
    git_refused: 'git_refused',
    uncommitted: 'git_refused',
  } as const
  return refused(codes[moved.reason], moved.why)
}

/** LD5: back to what the branch was, while nothing has come after, here or elsewhere. */
export async function undoMove(
  repository: Repository,
  { branch, from, to }: Pick<UndoRequest, 'branch' | 'from' | 'to'>,
): Promise<StepAnswer> {
  const tip = await tipOf(repository, branch)
  if (tip !== from && tip !== to) return refused('not_undone', branch)
  const elsewhere = await repository.run([
    'for-each-ref',
    '--contains',
    from,
    '--format=%(refname)',
    'refs/remotes',
  ])
  if (elsewhere.trim() !== '') return refused('not_undone', elsewhere.trim().split('\n')[0] ?? '')
  return move(repository, {
    do: 'move',
    by: 'fast-forward',
    branch,
    from,
    to,
    checkout: null,
  })
}
