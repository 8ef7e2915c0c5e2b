/**
 * Chapters whose day is over are closed (DC2), a few per commit, and the daily notes updated. One
 * read of an index each second; after sleep, a clock change or ten days without a server (DC7) the
 * first look finds all that is due, each under its own day.
 */
import { type CutoverRule, type Day, usualRule } from '../domain/conversations/chapter.ts'
import { noteFile } from '../mirror/conversation-file.ts'
import type { MirrorTarget } from '../mirror/mirror.ts'
import type { Logger } from '../platform/log/logger.ts'
import { zoneOf } from '../platform/time/local-zone.ts'
import type { ConfigValues } from '../protocol/config.ts'
import {
  addChaptersToNote,
  closeChapters,
  findDaysToNote,
  findDueChapters,
  getCutoverRule,
  markNoteWritten,
  setCutoverRule,
} from '../services/conversations/chapters.ts'
import { beforeAllDue, type DueChapter } from '../store/conversations/chapters.ts'
import type { Store } from '../store/store.ts'
import type { DueWork } from './due-work.ts'

const everyMs = 1000

export interface CutoverOptions {
  readonly store: Store
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/**
 * DC1: stores when days begin. The configuration takes precedence; where it has the default, a
 * person's choice at run time stays. Logs the rule the first time, with how to change it.
 */
export async function storeCutoverRule(
  store: Store,
  config: CutoverConfig,
  say: (text: string) => void,
): Promise<void> {
  const rule = { hour: config['cutover.hour'], timezone: zoneOf(config['cutover.timezone']) }
  const source = isSame(rule, usualRule) ? 'usual' : 'configuration'
  const current = await store.query(getCutoverRule, {})
  if (!current.isKept)
    say(
      `days of conversations ${begins(rule)}; change it on the System page or with holdfast cutover --timezone local`,
    )
  const isChosen = current.source === 'chosen' && source === 'usual'
  if (!isChosen && !(current.isKept && current.source === source && isSame(current, rule)))
    await store.run(setCutoverRule, { ...rule, source })
}

export type CutoverConfig = Pick<ConfigValues, 'cutover.hour' | 'cutover.timezone'>

const begins = ({ hour, timezone }: CutoverRule): string =>
  hour === null ? 'are not closed' : `begin at ${String(hour).padStart(2, '0')}:00 ${timezone}`

const isSame = (one: CutoverRule, other: CutoverRule): boolean =>
  one.hour === other.hour && one.timezone === other.timezone

export const dueChapters = ({ store, logger }: CutoverOptions): readonly DueWork[] => [
  {
    everyMs,
    failureText: 'chapters could not be closed',
    find: () => dueInPages(store),
    run: (keys) => closeAll({ store, logger }, keys),
  },
  {
    everyMs,
    failureText: 'the note of a day could not be updated',
    find: () => store.query(findDaysToNote, {}),
    run: (day) => noteDay(store, day),
  },
]

/** Pages of conversations, each closed in one commit. */
async function* dueInPages(store: Store): AsyncGenerator<readonly string[]> {
  for (let after: DueChapter | null = beforeAllDue; after; ) {
    const page: Awaited<ReturnType<typeof findDueChapters.run>> = await store.query(
      findDueChapters,
      { after },
    )
    if (page.keys.length > 0) yield page.keys
    after = page.last
  }
}

/** RE9: where one cannot be closed, the others are closed one by one. */
async function closeAll(options: CutoverOptions, keys: readonly string[]): Promise<void> {
  const { store, logger } = options
  try {
    const { closed } = await store.run(closeChapters, { keys })
    if (closed > 0) logger.info({ conversations: closed }, 'chapters closed')
  } catch (error) {
    const [key] = keys
    if (keys.length === 1)
      return logger.warn({ key, error: String(error) }, 'a chapter could not be closed; retrying')
    for (const each of keys) await closeAll(options, [each])
  }
}

/** Adds all closed chapters to their notes. */
export async function noteDays(store: Store): Promise<void> {
  for (const day of await store.query(findDaysToNote, {})) await noteDay(store, day)
}

/** Upper bound: more than the conversations of a day. */
const maxRounds = 1000

export async function noteDay(store: Store, day: Day): Promise<void> {
  for (let rounds = 0; rounds < maxRounds; rounds++)
    if (!(await store.run(addChaptersToNote, { day })).more) return
}

/** DC4: records whether note files were written, for all readers. */
export const noteFiles = (store: Store): MirrorTarget =>
  noteFile({
    written: (day, writtenSeq) => store.run(markNoteWritten, { day, writtenSeq }),
    failed: (day, problem) => store.run(markNoteWritten, { day, problem }),
  })
