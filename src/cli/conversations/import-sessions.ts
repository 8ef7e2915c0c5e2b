/**
 * `holdfast import --from`: the sessions that agents keep in files of their own. The files are read
 * by this program as its user, and nothing in their folders changes (IM2).
 */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { type FoundSessions, findSessions, type Wanted } from '../../past-sessions/find-sessions.ts'
import {
  type PastAgent,
  type PastSession,
  pastAgents,
  type Skipped,
  skipWords,
} from '../../past-sessions/port.ts'
import { removeCopies } from '../../past-sessions/sqlite-copy.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { counted } from '../amounts.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { beginStep } from '../step.ts'
import { table } from '../table.ts'
import { parseMoment } from '../times.ts'

export interface GivenForSessions {
  readonly from: PastAgent | 'all'
  readonly session: readonly string[] | undefined
  readonly folder: string | undefined
  readonly since: string | undefined
}

function wantedBy(context: CommandContext, given: GivenForSessions): Wanted {
  const since = given.since === undefined ? undefined : parseMoment(given.since, systemClock.now())
  if (given.since !== undefined && since === undefined)
    throw usage(
      `--since is not a time: ${JSON.stringify(given.since)}.`,
      'Write 30d, 12h or a date such as 2026-03-01.',
    )
  return {
    agents: given.from === 'all' ? pastAgents : [given.from],
    ids: given.session ?? [],
    folder: given.folder === undefined ? undefined : resolve(context.terminal.cwd, given.folder),
    since,
  }
}

async function find(context: CommandContext, given: GivenForSessions): Promise<FoundSessions> {
  const wanted = wantedBy(context, given)
  const { env } = context.terminal
  const step = beginStep(context.terminal, 'Looking for sessions')
  return await findSessions(wanted, { env, home: env['HOME'] || homedir() }).finally(() =>
    step.end(),
  )
}

const rowOf = ({ agent, id, title, folder, updatedAt }: PastSession) => ({
  agent,
  id,
  title,
  folder,
  updatedAt,
})

const skippedRow = (each: Skipped) => ({ file: each.file, reason: skipWords(each) })

export async function listSessions(
  context: CommandContext,
  given: GivenForSessions,
): Promise<void> {
  const { found, skipped } = await find(context, given)
  await removeCopies()
  const answer = { items: found.map(rowOf), skipped: skipped.map(skippedRow) }
  context.answer(answer, () =>
    context.table(found, {
      empty: 'There are no sessions of that kind on this machine.',
      columns: [
        { title: 'AGENT', of: ({ agent }) => agent },
        { title: 'ID', of: ({ id }) => id },
        { title: 'TITLE', of: ({ title }) => title, shrinks: true },
        { title: 'FOLDER', of: ({ folder }) => folder ?? '', shrinks: true },
        { title: 'UPDATED', of: ({ updatedAt }) => context.ago(updatedAt) },
      ],
    }),
  )
  if (!context.json) noteSkipped(context, skipped)
}

/** Names what was left out, and why. */
function noteSkipped(context: CommandContext, skipped: readonly Skipped[]): void {
  if (skipped.length === 0) return
  const columns = [
    { title: 'SKIPPED', of: ({ file }: Skipped) => visible(file) },
    { title: 'WHY', of: (each: Skipped) => skipWords(each), shrinks: true as const },
  ]
  context.note(table(skipped, columns, (_, text) => text))
  context.note(`${counted(skipped.length, 'file')} or parts of files skipped.`)
}
