/**
 * Closes chapters whose day is over (DC2), a few per commit, and updates the daily notes. Checks every second with one read of
 * an index; after sleep, a clock change or ten days without a server (DC7) the first run finds all that is due, each under its
 * own day. Safe to run twice or on several nodes.
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
import type { PeriodicJob } from './periodic-job.ts'

export interface CutoverOptions {
  readonly store: Store
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/**
 * DC1: stores when days begin. The configuration takes precedence; where it has the default, a person's choice at run time
 * stays. Logs the rule the first time, with how to change it.
 */
export async function storeCutoverRule(
  store: Store,
  config: CutoverConfig,
  say: (text: string) => void,
): Promise<void> {
  const rule = { hour: config['cutover.hour'], timezone: zoneOf(config['cutover.timezone']) }
  const source = isSame(rule, usualRule) ? 'usual' : 'configuration'
  const known = await store.query(getCutoverRule, {})
  if (!known.isKept)
    say(
      `days of conversations ${begins(rule)}; change it on the System page or with holdfast cutover --timezone local`,
    )
  const isChosen = known.source === 'chosen' && source === 'usual'
  if (!isChosen && !(known.isKept && known.source === source && isSame(known, rule)))
    await store.run(setCutoverRule, { ...rule, source })
}

export type CutoverConfig = Pick<ConfigValues, 'cutover.hour' | 'cutover.timezone'>

const begins = ({ hour, timezone }: CutoverRule): string =>
  hour === null ? 'are not closed' : `begin at ${String(hour).padStart(2, '0')}:00 ${timezone}`

const isSame = (one: CutoverRule, other: CutoverRule): boolean =>
  one.hour === other.hour && one.timezone === other.timezone

export class Cutover implements PeriodicJob {
  readonly everyMs = 1000
  readonly failureText = 'chapters could not be closed'
  readonly #options: CutoverOptions
  #isHurried = false

  constructor(options: CutoverOptions) {
    this.#options = options
  }

  finishEarly(): void {
    this.#isHurried = true
  }

  /** Closes all that is due and updates the notes. */
  async run(): Promise<void> {
    const { store, logger } = this.#options
    let closed = 0
    for (let after: DueChapter | null = beforeAllDue; after && !this.#isHurried; ) {
      const { keys, last }: { keys: readonly string[]; last: DueChapter | null } =
        await store.query(findDueChapters, { after })
      closed += await this.#close(keys)
      after = last
    }
    if (closed > 0) logger.info({ conversations: closed }, 'chapters closed')
    await noteDays(store)
  }

  /** RE9: logs a conversation that cannot be closed and closes the others. */
  async #close(keys: readonly string[]): Promise<number> {
    const { store, logger } = this.#options
    if (keys.length === 0) return 0
    try {
      return (await store.run(closeChapters, { keys })).closed
    } catch (error) {
      const [key] = keys
      if (keys.length === 1) {
        logger.warn({ key, error: String(error) }, 'chapter could not be closed; retrying')
        return 0
      }
      let closed = 0
      for (const each of keys) closed += await this.#close([each])
      return closed
    }
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
