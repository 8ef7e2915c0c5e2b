/**
 * Ends agent sessions whose time has come, every few seconds (AS6, NA5, PX4). Reads first and writes only for those that are due,
 * each in a commit of its own; harmless when done twice. A tick that comes late, a store that could not be asked, and a start after a
 * stop first move every deadline by the time in which no agent could be heard: sleep, a clock that jumps, an outage and an upgrade end
 * nothing.
 */
import { epochMs } from '../domain/instant.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { LastSeen } from '../server/agent-sessions/agent-calls.ts'
import { dueAtOnce, findDueAgentSessions, findLastSweep, listLiveAgentSessions } from '../services/agent-sessions/queries.ts'
import {
  findSweep,
  postponeAgentSession,
  recordSweep,
  sweepAgentSession,
} from '../services/agent-sessions/sweep-agent-session.ts'
import { closeConversation } from '../services/conversations/close-conversation.ts'
import { type DueAgentSession, firstLive } from '../store/agent-sessions/due-agent-sessions.ts'
import type { Store } from '../store/store.ts'
import { byItself, lateMs, type PeriodicJob } from './periodic-job.ts'

const everyMs = 2000
/** How often it is written down that agents can be heard, while there are any. */
const notedEveryMs = 30_000
const postponedAtOnce = 100
/** Looks in one tick; what is due beyond them waits for the next, so that nobody else waits for it. */
const maxLooks = 50

export interface SweeperOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly lastSeen: LastSeen
}

export class AgentSessionSweeper implements PeriodicJob {
  readonly everyMs = everyMs
  readonly complaint = 'Agent sessions could not be swept'
  readonly #options: SweeperOptions
  #heardUntil: number | undefined
  #notedAt = Number.NEGATIVE_INFINITY

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  /** What could not be heard is made up for, what is due is looked at. */
  async round(): Promise<void> {
    const { clock, logger } = this.#options
    const now = clock.now()
    const heardUntil = this.#heardUntil ?? (await this.#heardBeforeStart()) ?? now
    const late = now - heardUntil - everyMs
    if (late > lateMs) {
      logger.info({ seconds: Math.round(late / 1000) }, 'Agents could not be heard; their deadlines are moved')
      await this.#postpone(late)
      this.#heardUntil = now
    }
    await this.#lookAtAllDue()
    // Not before: a store that cannot be asked has heard nobody either.
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
        page.map(({ purpose: _, ...which }) => this.#each(which, () => store.run(postponeAgentSession, { ...which, byMs }))),
      )
      const last = page.at(-1)
      if (!last || page.length < postponedAtOnce) return
      after = last
    }
  }

  async #lookAtAllDue(): Promise<void> {
    const { store } = this.#options
    for (let looks = 0; looks < maxLooks; looks++) {
      const { agentSessions, leftOpen } = await store.query(findDueAgentSessions, {})
      // Nearly always.
      if (agentSessions.length === 0 && leftOpen.length === 0) return
      const ended = await Promise.all(agentSessions.map((which) => this.#each(which, () => this.#lookAt(which))))
      await Promise.all(leftOpen.map((each) => this.#each(each, () => store.run(closeConversation, each))))
      // What stays, such as a suspicion that is not settled yet, would only come up again.
      const full = Math.max(ended.filter(Boolean).length, leftOpen.length) >= dueAtOnce
      if (!full) return
    }
  }

  async #lookAt(which: DueAgentSession): Promise<boolean> {
    const { store, logger, lastSeen } = this.#options
    const found = await store.query(findSweep, which)
    const lastSeenAt = lastSeen.of(which.agentSessionId)
    const { ended } = await store.run(sweepAgentSession, { ...which, ...found, lastSeenAt })
    if (ended === null) return false
    lastSeen.forget(which.agentSessionId)
    logger.info({ ...which, reason: ended }, 'An agent session has ended')
    return true
  }

  #each<T>(which: object, work: () => Promise<T>): Promise<T | undefined> {
    return byItself(this.#options.logger, 'An agent session could not be swept', which, work)
  }

  async #note(): Promise<void> {
    const { store, clock } = this.#options
    const [anyLive] = await store.query(listLiveAgentSessions, { after: firstLive, limit: 1 })
    this.#notedAt = clock.now()
    if (anyLive) await store.run(recordSweep, {})
  }
}
