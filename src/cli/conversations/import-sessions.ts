/**
 * `holdfast import --from`: the sessions that agents keep in files of their own. The files are read
 * by this program as its user, and nothing in their folders changes (IM2).
 */
import { homedir, hostname } from 'node:os'
import { resolve } from 'node:path'
import { ProblemError } from '../../client/failures.ts'
import { type FoundSessions, findSessions, type Wanted } from '../../past-sessions/find-sessions.ts'
import { unreadable } from '../../past-sessions/lines.ts'
import {
  type PastAgent,
  type PastSession,
  pastAgents,
  type Skipped,
  type SkipReason,
  skipped as skippedOf,
  skipWords,
} from '../../past-sessions/port.ts'
import { headOf, turnsOf } from '../../past-sessions/readers.ts'
import { removeCopies } from '../../past-sessions/sqlite-copy.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { type ImportedSession, piecesOfTurns } from '../../protocol/conversations/past-session.ts'
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

interface TakenIn {
  created: number
  grown: number
  unchanged: number
  turns: number
  readonly skipped: Skipped[]
}

const readAtOnce = 4

export async function importSessions(
  context: CommandContext,
  given: GivenForSessions,
): Promise<void> {
  const { found, skipped } = await find(context, given)
  const earlier = await importedOf(context, found)
  const sum: TakenIn = { created: 0, grown: 0, unchanged: 0, turns: 0, skipped: [...skipped] }
  const step = beginStep(context.terminal, 'Taking in sessions')
  const named = (given.session ?? []).length > 0
  let done = 0
  const takeRest = async (next: IterableIterator<PastSession>): Promise<void> => {
    for (const past of next) {
      await takeIn(context, past, { before: earlier.get(idOf(past)), named }, sum)
      step.update(`${++done} of ${found.length}`)
    }
  }
  const takeAll = async (): Promise<void> => {
    for (const wave of inWaves(found)) {
      const next = wave.values()
      await Promise.all(Array.from({ length: readAtOnce }, () => takeRest(next)))
    }
  }
  await takeAll().finally(() => step.end())
  await removeCopies()
  const { skipped: all, ...counts } = sum
  context.done(wordsFor(sum))
  if (context.json)
    return context.answer(
      { sessions: found.length, ...counts, skipped: all.map(skippedRow) },
      () => '',
    )
  noteSkipped(context, all)
}

/** IM11: what sessions were forked from comes before them. */
function* inWaves(found: readonly PastSession[]): Generator<readonly PastSession[]> {
  let left = found
  while (left.length > 0) {
    const waiting = new Set(left.map(idOf))
    const isReady = ({ agent, forkOf }: PastSession): boolean =>
      forkOf === null || !waiting.has(idOf({ agent, id: forkOf }))
    const ready = left.filter(isReady)
    // Files that name each other are taken as they come.
    yield ready.length > 0 ? ready : left
    left = ready.length > 0 ? left.filter((each) => !isReady(each)) : []
  }
}

const idOf = ({ agent, id }: { readonly agent: string; readonly id: string }): string =>
  `${agent} ${id}`

async function importedOf(
  context: CommandContext,
  found: readonly PastSession[],
): Promise<ReadonlyMap<string, ImportedSession>> {
  const imported = new Map<string, ImportedSession>()
  if (found.length === 0) return imported
  for await (const each of context.client.pages('/api/imported-sessions'))
    imported.set(idOf(each), each)
  return imported
}

interface Before {
  readonly before: ImportedSession | undefined
  readonly named: boolean
}

/** What is wrong with one session never stops the others. */
async function takeIn(
  context: CommandContext,
  past: PastSession,
  { before, named }: Before,
  sum: TakenIn,
): Promise<void> {
  const file = past.files[0] ?? past.id
  const skip = (reason: SkipReason, detail = ''): void => {
    sum.skipped.push(skippedOf(file, reason, detail))
  }
  if (before?.state === 'taken' && before.mark === past.mark) {
    sum.unchanged++
    return
  }
  if (before?.state === 'deleted' && !named) return skip('deleted')
  let added = 0
  let created = false
  let any = false
  try {
    for await (const { turns, isLast } of piecesOfTurns(turnsOf(past, sum.skipped))) {
      any ||= turns.length > 0
      if (!any) return skip('no_prompt')
      const mark = isLast ? past.mark : null
      const body = { source: headOf(past, hostname()), turns: [...turns], mark, named }
      const answer = await context.client.post('/api/imported-sessions', { body })
      if (answer.outcome !== 'taken') return skip(answer.outcome)
      added += answer.added
      created ||= answer.created
    }
  } catch (error) {
    if (error instanceof ProblemError && aboutTheSession.has(error.problem.code))
      return skip('refused', error.problem.detail)
    if (error instanceof ProblemError || !isAboutFile(error)) throw error
    sum.skipped.push(unreadable(file, error))
    return
  }
  sum[created ? 'created' : added > 0 ? 'grown' : 'unchanged']++
  sum.turns += added
}

const aboutTheSession: ReadonlySet<string> = new Set(['invalid_request', 'too_large'])

/** Errors of the file system name what they are about. */
const isAboutFile = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'path' in error

function wordsFor({ created, grown, unchanged, turns }: TakenIn): string {
  const others = [
    grown > 0 && `${grown} had more to say`,
    unchanged > 0 && `${unchanged} ${unchanged === 1 ? 'was' : 'were'} there already`,
  ].filter(Boolean)
  const words = `Took in ${counted(created, 'new session')} and ${counted(turns, 'turn')}`
  return others.length > 0 ? `${words} (${others.join(', ')})` : words
}
