/**
 * Ends agent sessions that have expired (AS6, NA5, PX4). Reads first and writes only for due sessions, each in its own commit;
 * safe to run twice. After a late run, a failed read or a restart all deadlines are first moved by the time in which no agent
 * could be heard, so sleep, a clock change, an outage or an upgrade ends nothing.
 */
import { epochMs } from '../domain/instant.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { LastSeen } from '../server/agent-sessions/agent-calls.ts'
import {
  duePageSize,
  findDueAgentSessions,
  findLastSweep,
  listLiveAgentSessions,
} from '../services/agent-sessions/queries.ts'
import { closeConversation } from '../services/conversations/change-conversation.ts'
import {
  postponeAgentSession,
  recordSweep,
  sweepAgentSession,
} from '../services/flows/sweep-agent-session.ts'
import { type DueAgentSession, firstLive } from '../store/agent-sessions/due-agent-sessions.ts'
import type { Store } from '../store/store.ts'
import { lateMs, logFailure, type PeriodicJob } from './periodic-job.ts'

const everyMs = 2000
/** Interval at which it is recorded that agents can be heard, while there are any. */
const notedEveryMs = 30_000
const postponedAtOnce = 100
/** Upper bound of reads per run; the rest waits for the next run. */
const maxReads = 50

export interface SweeperOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly lastSeen: LastSeen
}

export class AgentSessionSweeper implements PeriodicJob {
  readonly everyMs = everyMs
  readonly failureText = 'silent agent sessions could not be ended'
  readonly #options: SweeperOptions
  #heardUntil: number | undefined
  #notedAt = Number.NEGATIVE_INFINITY

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  /** Moves deadlines by the time nothing could be heard, then ends what is due. */
  async run(): Promise<void> {
    const { clock, logger } = this.#options
    const now = clock.now()
    const heardUntil = this.#heardUntil ?? (await this.#heardBeforeStart()) ?? now
    const late = now - heardUntil - everyMs
    if (late > lateMs) {
      logger.info(
        { seconds: Math.round(late / 1000) },
        'agents were unreachable; deadlines extended',
      )
      await this.#postpone(late)
      this.#heardUntil = now
    }
    await this.#checkAllDue()
    // Only after the read: a store that cannot be read has heard no agent either.
    this.#heardUntil = now
    if (now - this.#notedAt >= notedEveryMs) await this.#note()
  }

  async end(): Promise<void> {
    await this.#note()
  }

  async #heardBeforeStart(): Promise<number | undefined> {
    const at = await this.#options.store.query(findLastSweep, {})
    return at === undefined ? undefined : epochMs(at)
  }

  async #postpone(byMs: number): Promise<void> {
    const { store } = this.#options
    for (let after = firstLive; ; ) {
      const page = await store.query(listLiveAgentSessions, { after, limit: postponedAtOnce })
      await Promise.all(
        page.map(({ purpose: _, ...which }) =>
          this.#each(which, () => store.run(postponeAgentSession, { ...which, byMs })),
        ),
      )
      const last = page.at(-1)
      if (!last || page.length < postponedAtOnce) return
      after = last
    }
  }

  async #checkAllDue(): Promise<void> {
    const { store } = this.#options
    for (let looks = 0; looks < maxReads; looks++) {
      const { agentSessions, leftOpen } = await store.query(findDueAgentSessions, {})
      // The usual case.
      if (agentSessions.length === 0 && leftOpen.length === 0) return
      const ended = await Promise.all(
        agentSessions.map((which) => this.#each(which, () => this.#check(which))),
      )
      await Promise.all(
        leftOpen.map((each) => this.#each(each, () => store.run(closeConversation, each))),
      )
      // Sessions that stay open, such as suspected ones, would only come up again.
      const full = Math.max(ended.filter(Boolean).length, leftOpen.length) >= duePageSize
      if (!full) return
    }
  }

  async #check(which: DueAgentSession): Promise<boolean> {
    const { store, logger, lastSeen } = this.#options
    const lastSeenAt = lastSeen.of(which.agentSessionId)
    const { ended } = await store.run(sweepAgentSession, { ...which, lastSeenAt })
    if (ended === null) return false
    lastSeen.forget(which.agentSessionId)
    logger.info({ ...which, reason: ended }, 'agent session ended')
    return true
  }

  #each<T>(which: object, work: () => Promise<T>): Promise<T | undefined> {
    return logFailure(this.#options.logger, 'An agent session could not be swept', which, work)
  }

  async #note(): Promise<void> {
    const { store, clock } = this.#options
    const [anyLive] = await store.query(listLiveAgentSessions, { after: firstLive, limit: 1 })
    this.#notedAt = clock.now()
    if (anyLive) await store.run(recordSweep, {})
  }
}
