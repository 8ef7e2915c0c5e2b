/**
 * Handles deadlines in user sessions (US3, US4, AG2, AG6, AP4): agents that do not exit or get ready in time, sleeping agents
 * that are needed, limits that are over (also in chats), unanswered permissions, and sessions without a connection. Reads first
 * and writes only for what is due, each in its own commit; safe to run twice. After a start, a late run or a failed read no
 * session counts as detached until clients had time to reconnect.
 */
import { Refusal } from '../domain/errors.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import {
  type EndedLimit,
  endReasons,
  findDueUserSessions,
} from '../services/consoles/find-due-user-sessions.ts'
import {
  findStartMachine,
  type StartMachine,
  type StartTarget,
} from '../services/consoles/queries.ts'
import { expirePermission } from '../services/flows/answer-permission.ts'
import { attachedForMs, terminateUserSession } from '../services/flows/change-user-session.ts'
import { endLimit } from '../services/flows/end-limit.ts'
import { giveUpRoleAgent } from '../services/flows/end-role-agent.ts'
import {
  sleepRoleAgent,
  spawnRoleAgent,
  wakeRoleAgent,
} from '../services/flows/spawn-role-agent.ts'
import type { Store } from '../store/store.ts'
import { lateMs, logFailure, type PeriodicJob } from './periodic-job.ts'

const everyMs = 1000

export interface UserSessionSweeperOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export class UserSessionSweeper implements PeriodicJob {
  readonly everyMs = everyMs
  readonly failureText = 'idle user sessions could not be ended'
  readonly #options: UserSessionSweeperOptions
  #sweptAt: number | undefined
  /** Clients may still be reconnecting until then. */
  #reconnectUntil = 0

  constructor(options: UserSessionSweeperOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.now()
    if (this.#sweptAt === undefined || now - this.#sweptAt - everyMs > lateMs)
      this.#reconnectUntil = now + attachedForMs
    const due = await store.query(findDueUserSessions, {})
    // Only after the read: while the store is unreachable nobody can be connected.
    this.#sweptAt = now
    for (const which of due.roleAgents)
      await this.#each(which, () => store.run(giveUpRoleAgent, which))
    for (const { role, agentId, ...which } of due.asleep)
      await this.#each(which, async () => {
        const { startOn } = await this.#machineFor(which.userSessionId, { role, agentId })
        await store.run(wakeRoleAgent, { ...which, startOn })
      })
    for (const approvalId of due.approvalIds)
      await this.#each({ approvalId }, () => store.run(expirePermission, { approvalId }))
    for (const { again, ...limit } of due.limited)
      await this.#each(limit, async () => {
        const { userSessionId } = limit
        if (userSessionId !== null && again) await this.#spawnAgain(limit, userSessionId, again)
        else await store.run(endLimit, limit)
      })
    const mayReconnect = now < this.#reconnectUntil
    for (const which of mayReconnect ? [] : due.idle)
      await this.#each(which, () => store.run(sleepRoleAgent, which))
    for (const { userSessionId, cause } of due.forsaken) {
      if (mayReconnect && cause === 'detached') continue
      const reason = endReasons[cause]
      await this.#each({ userSessionId }, () =>
        store.run(terminateUserSession, { userSessionId, accountId: null, reason }),
      )
    }
  }

  /** AG6: starts a failed agent whose limit is over. Where no coordinator can start it now, the next run tries again. */
  async #spawnAgain(
    limit: Omit<EndedLimit, 'again'>,
    userSessionId: string,
    again: NonNullable<EndedLimit['again']>,
  ): Promise<void> {
    const { store } = this.#options
    const { startOn, cannotStart } = await this.#machineFor(userSessionId, again)
    if (startOn === null) return
    const spawn = { userSessionId, accountId: null, startOn, cannotStart, ...again, load: true }
    try {
      await store.run(spawnRoleAgent, spawn)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'busy') throw error
      await store.run(endLimit, { ...limit, cannotStart: true })
    }
  }

  #machineFor(userSessionId: string, { role, agentId }: StartTarget): Promise<StartMachine> {
    const asked = { userSessionId, accountId: null, role, agentId }
    return this.#options.store.query(findStartMachine, asked)
  }

  async #each(which: object, work: () => Promise<unknown>): Promise<void> {
    await logFailure(this.#options.logger, 'A user session could not be swept', which, work)
  }
}
