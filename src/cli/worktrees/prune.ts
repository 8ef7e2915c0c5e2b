/** `holdfast worktrees prune`: removes old worktrees all together (WT3). */
import { type Client, ProblemError } from '../../client/client.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { ListedWorktree } from '../../protocol/worktrees/worktree.ts'
import { counted, size } from '../amounts.ts'
import { command, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { projectOption, yesOption } from '../options-everywhere.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { bytesOf, lossesInWords, many } from './worktree-words.ts'

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

export const pruneWorktrees = command({
  summary:
    'Remove all that were not used for a while, after showing what would be lost with each; those in use stay',
  options: {
    project: projectOption,
    days: option.text('<number>', 'not used for so many days (7); 0 for all'),
    dryRun: option.flag('only show what would be removed'),
    yes: yesOption,
  },
  examples: [
    ['worktrees prune', 'asks once for all of them'],
    ['worktrees prune --days 30 --dry-run', 'what would go, and what would be lost'],
  ],
  async run(context, given) {
    const { id: projectId } = await chooseProject(context)
    const days = daysOf(given.days)
    const now = systemClock.now()
    const old: ListedWorktree[] = []
    for await (const each of context.client.pages(many, {
      params: { projectId },
      query: { limit: inspectedAtOnce, look: true },
    }))
      if (now - Date.parse(each.lastUsedAt) >= days * dayMs) old.push(each)
    const staying = old.flatMap((each) => whyKept(each) ?? [])
    const going = old.filter((each) => !staying.some(({ id }) => id === each.id))
    if (!context.json) show(context, going, staying, days)
    if (given.dryRun || going.length === 0) {
      if (context.json)
        context.answer({ wouldRemove: going.map(inShort), removed: [], kept: staying }, String)
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
      { removed: removed.map(({ id }) => id), kept: [...staying, ...failed] },
      `${counted(removed.length, 'worktree')} removed, ${size(bytesOf(removed))} freed`,
    )
  },
})

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
  staying: readonly Kept[],
  days: number,
): void {
  for (const { role, why } of staying) context.note(`Stays: ${visible(role)}: ${visible(why)}`)
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

/**
 * Confirms each removal with exactly the losses shown; a worktree changed since, or on an
 * unreachable machine, stays.
 */
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
