/** `holdfast worktrees`: worktrees of agents, their changes, merging and removing them, old ones all together (WT3). */

import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Client, ProblemError } from '../../client/client.ts'
import { visible, visibleLines } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type {
  ListedWorktree,
  Losses,
  LossSummary,
  Worktree,
} from '../../protocol/worktrees/worktree.ts'
import { counted, size } from '../amounts.ts'
import { command, group } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findOne } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { chooseProject, projectOption } from '../projects/choose-project.ts'

/** Worktrees per request: a machine counts the files of each and has half a minute. */
const inspectedAtOnce = 20
const removedAtOnce = 8
const dayMs = 86_400_000
const defaultDays = 7
const maxDays = 100_000

interface Kept {
  readonly id: string
  readonly role: string
  readonly why: string
}

async function pruneWorktrees(context: CommandContext): Promise<void> {
  const { id: projectId } = await chooseProject(context)
  const days = daysOf(context.text('days'))
  const now = systemClock.now()
  const old: ListedWorktree[] = []
  for await (const each of context.client.pages(many, {
    params: { projectId },
    query: { limit: inspectedAtOnce, look: true },
  }))
    if (now - Date.parse(each.lastUsedAt) >= days * dayMs) old.push(each)
  const kept = old.flatMap((each) => whyKept(each) ?? [])
  const going = old.filter((each) => !kept.some(({ id }) => id === each.id))
  if (!context.json) show(context, going, kept, days)
  if (context.flag('dry-run') || going.length === 0) {
    if (context.json) context.answer({ wouldRemove: going.map(inShort), removed: [], kept }, String)
    return
  }
  const losing = going.filter(({ look }) => look?.canGo === 'would_lose').length
  const loss =
    losing === 0 ? 'Nothing is lost with them.' : `What ${losing} of them hold is lost for good.`
  await context.confirm(`Remove ${counted(going.length, 'worktree')}?`, loss)
  const failed = await removeAll(context.client, projectId, going)
  const removed = going.filter(({ id }) => !failed.some((each) => each.id === id))
  if (!context.json)
    for (const { role, why } of failed) context.note(`Stays: ${visible(role)}: ${visible(why)}`)
  context.finished(
    { removed: removed.map(({ id }) => id), kept: [...kept, ...failed] },
    `${counted(removed.length, 'worktree')} removed, ${size(bytesOf(removed))} freed`,
  )
}

function daysOf(typed = String(defaultDays)): number {
  const days = Number(typed)
  if (typed.trim() !== '' && days >= 0 && days <= maxDays) return days
  throw usage(`--days must be a number from 0 to ${maxDays}.`, `Leave it out for ${defaultDays}.`)
}

/** Returns undefined when it can be removed once the losses are confirmed. */
function whyKept({ id, role, look, trouble }: ListedWorktree): Kept | undefined {
  const why = !look
    ? (trouble ?? 'its machine gave no answer')
    : look.canGo === 'in_use' || look.canGo === 'refused'
      ? (look.why ?? 'it cannot go')
      : look.canGo === 'would_lose' && !look.losses
        ? 'its machine has an older build; remove it by its id'
        : undefined
  return why === undefined ? undefined : { id, role, why }
}

function lossOf({ look }: ListedWorktree): string {
  if (!look?.losses) return 'nothing'
  const { fileCount, commitCount, unfinished } = look.losses
  const amounts = [
    fileCount > 0 && counted(fileCount, 'file'),
    commitCount > 0 && counted(commitCount, 'commit'),
    ...unfinished,
  ]
  return amounts.filter(Boolean).join(', ')
}

const bytesOf = (worktrees: readonly ListedWorktree[]): number =>
  worktrees.reduce((sum, { look }) => sum + (look?.disk.bytes ?? 0), 0)

const inShort = ({ id, role, branch, lastUsedAt, look }: ListedWorktree) => ({
  id,
  role,
  branch,
  lastUsedAt,
  bytes: look?.disk.bytes ?? 0,
  losses: look?.losses ?? null,
})

function show(
  context: CommandContext,
  going: readonly ListedWorktree[],
  kept: readonly Kept[],
  days: number,
): void {
  for (const { role, why } of kept) context.note(`Stays: ${visible(role)}: ${visible(why)}`)
  const list = context.table(going, {
    empty: `No worktree that was not used for ${counted(days, 'day')} can go. \`holdfast worktrees prune --days 0\` takes younger ones too.`,
    columns: [
      { title: 'ROLE', of: ({ role }) => visible(role), style: 'bold' },
      { title: 'BRANCH', of: ({ branch, folder }) => visible(branch ?? folder), shrinks: true },
      { title: 'USED', of: ({ lastUsedAt }) => context.ago(lastUsedAt) },
      { title: 'DISK', of: ({ look }) => size(look?.disk.bytes ?? 0) },
      { title: 'LOST', of: lossOf },
    ],
  })
  context.answer({}, () => (going.length === 0 ? list : `${list}\n${size(bytesOf(going))} in all`))
  for (const { role, look } of going)
    if (look?.losses) context.note(`Lost with ${visible(role)}: ${lossesInWords(look.losses)}`)
}

/** Confirms each removal with exactly the losses shown; a worktree changed since, or on an unreachable machine, stays. */
async function removeAll(
  client: Client,
  projectId: string,
  going: readonly ListedWorktree[],
): Promise<Kept[]> {
  const waiting = [...going]
  const failed: Kept[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { id, role, look } = next
      try {
        const query = look?.losses ? { confirm: look.losses.digest } : {}
        await client.delete(`${many}/{worktreeId}`, {
          params: { projectId, worktreeId: id },
          query,
        })
      } catch (error) {
        if (
          !(error instanceof ProblemError) ||
          (error.problem.status !== 409 && error.problem.status !== 503)
        )
          throw error
        failed.push({ id, role, why: error.message })
      }
    }
  }
  await Promise.all(Array.from({ length: removedAtOnce }, work))
  return failed
}

const maxNamed = 8

function lossesInWords({
  files,
  fileCount,
  commits,
  commitCount,
  unfinished,
}: Omit<LossSummary, 'digest'>): string {
  const named = (names: readonly string[], count: number): string =>
    names.slice(0, maxNamed).map(visible).join(', ') + (count > maxNamed ? ', …' : '')
  return [
    ...(fileCount > 0
      ? [`${counted(fileCount, 'file')} not committed (${named(files, fileCount)})`]
      : []),
    ...(commitCount > 0
      ? [`${counted(commitCount, 'commit')} in no other branch (${named(commits, commitCount)})`]
      : []),
    ...unfinished.map((what) => `a ${what} that is not finished`),
  ].join('; ')
}

const many = '/api/projects/{projectId}/worktrees'
const one = `${many}/{worktreeId}` as const
const patchWithinMs = 60_000

async function listWorktrees(context: CommandContext): Promise<void> {
  const { id: projectId } = await chooseProject(context)
  await context.printList(
    context.client.pages(many, { params: { projectId }, query: { look: true } }),
    {
      empty:
        'There is no worktree. An agent in a role of a console gets one: `holdfast run`, or the console in the page.',
      columns: [
        { title: 'ROLE', of: ({ role }) => visible(role), style: 'bold' },
        {
          title: 'BRANCH',
          of: ({ branch, note }) => visible(branch ?? note ?? '–'),
          shrinks: true,
        },
        { title: 'CHANGES', of: changesOf },
        {
          title: 'DISK',
          of: ({ look }) =>
            look ? `${look.disk.complete ? '' : '≥ '}${size(look.disk.bytes)}` : '–',
        },
        {
          title: 'CAN GO',
          of: ({ look, trouble }) => (look ? canGo[look.canGo] : (trouble ?? '–')),
        },
        { title: 'USED', of: ({ lastUsedAt }) => context.ago(lastUsedAt) },
        { title: 'ID', of: ({ id }) => id, style: 'dim' },
      ],
      below: (items) => `${size(bytesOf(items))} in all`,
    },
  )
}

const canGo = {
  yes: 'yes',
  would_lose: 'holds work',
  in_use: 'in use',
  gone: 'not there',
  refused: 'no',
} as const

function changesOf({ look, kind }: ListedWorktree): string {
  if (!look || kind === 'plain') return '–'
  const ahead = look.ahead === null ? '' : `+${look.ahead}`
  const behind = look.behind === null || look.behind === 0 ? '' : ` −${look.behind}`
  return `${ahead}${behind} ${counted(look.fileCount, 'file')}`.trim()
}

async function find(context: CommandContext): Promise<Worktree> {
  const { id: projectId } = await chooseProject(context)
  const all = context.client.pages(many, { params: { projectId } })
  return findOne('worktree', context.operand(0), all, ({ id, branch, role }) => [
    [id],
    [branch, role],
  ])
}

const paramsOf = ({ projectId, id }: Worktree) => ({ projectId, worktreeId: id })

async function showWorktree(context: CommandContext): Promise<void> {
  const found = await context.client.get(one, { params: paramsOf(await find(context)) })
  context.answer(found, () => {
    const { worktree, state } = found
    const facts = state
      ? [
          ['Branch', visible(state.branch ?? 'between branches')],
          ['Ahead', String(state.ahead ?? '–')],
          ['Behind', String(state.behind ?? '–')],
          ['Not committed', counted(state.uncommitted, 'file')],
          ...(state.command === null ? [] : [['Command', visible(state.command)] as const]),
        ]
      : [['Note', visible(worktree.note ?? 'It has no state.')]]
    const setUp = worktree.setUp?.outcome ? [['Set-up', worktree.setUp.outcome]] : []
    const pairs = [
      ['Role', visible(worktree.role)],
      ['Folder', visible(worktree.folder)],
      ...facts,
      ...setUp,
    ]
    const files = (state?.files ?? []).map(
      ({ path, change }) => `  ${change.padEnd(10)} ${visible(path)}`,
    )
    return [context.fields(pairs as [string, string][]), ...files].join('\n')
  })
}

async function diffWorktree(context: CommandContext): Promise<void> {
  const query = { path: context.text('file') }
  const diff = await context.client.get(`${one}/diff`, {
    params: paramsOf(await find(context)),
    query,
  })
  context.answer(diff, () => visibleLines(diff.text.trimEnd()) || 'Nothing has changed.')
  if (diff.cut && !context.json)
    context.note('There is more than is shown; worktrees patch has all of it.')
}

/** Writes the patch byte by byte, for git. */
async function patchWorktree(context: CommandContext): Promise<void> {
  const { projectId, worktreeId } = paramsOf(await find(context))
  const path = `/api/projects/${encodeURIComponent(projectId)}/worktrees/${encodeURIComponent(worktreeId)}/patch`
  const response = await context.client.open(path, { signal: AbortSignal.timeout(patchWithinMs) })
  if (!response.ok) throw new ProblemError(await response.json())
  const bytes = Buffer.from(await response.arrayBuffer())
  const file = context.text('out')
  if (file === undefined) {
    const text = bytes.toString()
    if (!Buffer.from(text).equals(bytes))
      throw usage(
        'This patch holds bytes that are no text.',
        'Add --out FILE to have it written byte by byte.',
      )
    return void context.terminal.stdout.write(text)
  }
  await writeFile(resolve(context.terminal.cwd, file), bytes)
  context.finished(
    { file, bytes: bytes.length },
    `${size(bytes.length)} written to ${visible(file)}`,
  )
}

async function commitWorktree(context: CommandContext): Promise<void> {
  const body = { message: context.text('message') }
  const done = await context.client.post(`${one}/commit`, {
    params: paramsOf(await find(context)),
    body,
  })
  const commit = done.commit?.slice(0, 10)
  context.finished(
    done,
    commit
      ? `${counted(done.files, 'file')} committed as ${commit}`
      : 'There was nothing to commit',
  )
}

async function mergeWorktree(context: CommandContext): Promise<void> {
  const body = {
    branch: context.text('into'),
    how: context.flag('rebase') ? ('rebase' as const) : ('merge' as const),
  }
  const params = paramsOf(await find(context))
  try {
    const done = await context.client.post(`${one}/merge`, { params, body })
    const branch = visible(done.branch)
    context.finished(
      done,
      done.outcome === 'done' ? `It is in ${branch} now` : `${branch} has it all already`,
    )
  } catch (error) {
    const { files, command, reason } = fieldsOf(error)
    if (!context.json && reason === 'uncommitted')
      context.note(context.hint(`First: holdfast worktrees commit ${visible(context.operand(0))}`))
    if (!context.json && Array.isArray(files))
      context.note(`Conflicts in: ${files.map((each) => visible(String(each))).join(', ')}`)
    if (!context.json && typeof command === 'string')
      context.note(`To resolve them yourself: ${visible(command)}`)
    throw error
  }
}

const fieldsOf = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof ProblemError ? { ...error.problem } : {}

async function removeWorktree(context: CommandContext): Promise<void> {
  const worktree = await find(context)
  const params = paramsOf(worktree)
  const name = visible(worktree.branch ?? worktree.folder)
  try {
    await context.client.delete(one, { params })
  } catch (error) {
    const losses = fieldsOf(error)['losses'] as Losses | undefined
    if (!losses) throw error
    const { files, commits } = losses
    const shown = {
      ...losses,
      files: files.map(({ path }) => path),
      commits: commits.map(({ subject }) => subject),
    }
    const words = lossesInWords({ ...shown, fileCount: files.length, commitCount: commits.length })
    await context.confirm(`Remove ${name}?`, `Lost for good: ${words}.`)
    await context.client.delete(one, { params, query: { confirm: losses.digest } })
  }
  context.finished({ removed: worktree.id }, `${name} is removed`)
}

async function setUpWorktrees(context: CommandContext): Promise<void> {
  const { id: projectId } = await chooseProject(context)
  const path = '/api/projects/{projectId}/set-up'
  const [command, copy, none] = [
    context.text('command'),
    context.text('copy'),
    context.flag('none'),
  ]
  const known = await context.client.get(path, { params: { projectId } })
  const words = (text: string | undefined, between: RegExp): string[] | undefined =>
    text?.split(between).filter((word) => word !== '')
  const wanted = none
    ? { command: null, copy: [] }
    : {
        command: words(command, / /) ?? known.command,
        copy: words(copy?.trim(), /\s*,\s*/) ?? known.copy,
      }
  const isChange = command !== undefined || copy !== undefined || none
  const setUp = isChange
    ? await context.client.put(path, { params: { projectId }, body: wanted })
    : known
  context.answer(setUp, () =>
    context.fields([
      ['Command', visible(setUp.command?.join(' ') ?? 'none')],
      ['Copied', visible(setUp.copy.join(', ')) || 'nothing'],
    ]),
  )
}

const worktree = { name: 'worktree', about: 'its id, its branch, or its role' }

export const worktrees = group`
  Worktrees of agents: what they changed, how it gets out, what can go
  $ worktrees  list them, with what each takes and which can go
  $ worktrees diff reviewer  what has changed in one
  $ worktrees merge reviewer  into the branch it began at
`({
  list: command(listWorktrees, projectOption, limitOption)`
    List the worktrees of a project, newest first (the default)
    $ worktrees list  with branch, changes and disk used
    $ worktrees list --json  for a program`,
  show: command(showWorktree, worktree, projectOption)`
    Show one: branch, ahead and behind, changed files, the git command that brings it in
    $ worktrees show reviewer  how it stands`,
  diff: command(diffWorktree, worktree, projectOption)`
    Print what has changed since it began
    --file <path>  only of this file
    $ worktrees diff reviewer --file src/a.ts  one file`,
  patch: command(patchWorktree, worktree, projectOption)`
    Print everything that has changed as one patch for git apply
    --out <file>  into this file instead
    $ worktrees patch reviewer --out work.patch  into a file
    $ worktrees patch reviewer | git apply  into this checkout`,
  commit: command(commitWorktree, worktree, projectOption)`
    Commit everything in it on its branch
    -m, --message <text>  the commit message
    $ worktrees commit reviewer -m "Fix the parser"  with a message`,
  merge: command(mergeWorktree, worktree, projectOption)`
    Bring its commits into a branch; conflicts leave both sides untouched
    --into <branch>  the branch; the one it began at when left out
    --rebase  one commit after the other instead of a merge
    $ worktrees merge reviewer --into main  into main`,
  remove: command(removeWorktree, worktree, projectOption, yesOption)`
    Remove one and its branch; asks first when something would be lost
    $ worktrees remove reviewer --yes  without being asked, whatever is lost`,
  prune: command(pruneWorktrees, projectOption)`
    Remove all that were not used for a while, after showing what would be lost with each; those in use stay
    --days <number>  not used for so many days (7); 0 for all
    --dry-run  only show what would be removed
    ${yesOption}
    $ worktrees prune  asks once for all of them
    $ worktrees prune --days 30 --dry-run  what would go, and what would be lost`,
  'set-up': command(setUpWorktrees, projectOption)`
    Show or set what makes a fresh worktree runnable
    --command <words>  a program and its arguments, separated by spaces; there is no shell
    --copy <paths>  ignored files to copy first, with commas between
    --none  nothing is done any more
    $ worktrees set-up --command "npm ci" --copy .env  for fresh worktrees from now on`,
})
