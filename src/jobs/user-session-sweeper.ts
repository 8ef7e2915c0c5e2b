/**
 * Handles deadlines in user sessions (US3, US4, AG2, AG6, AP4): agents that do not exit or get ready in time, sleeping agents
 * that are needed, limits that are over (also in chats), unanswered permissions, and sessions without a connection. Reads first
 * and writes only for what is due, each in its own commit; safe to run twice. After a start, a late run or a failed read no
 * session counts as detached until clients had time to reconnect.
 */
import { Refusal } from '../domain/errors.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import { findPermission } from '../services/approvals/queries.ts'
import { endReasons, findDueUserSessions } from '../services/consoles/find-due-user-sessions.ts'
import { findUserSession } from '../services/consoles/queries.ts'
import type { UserSessionLocks } from '../services/consoles/role-agent-record.ts'
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
    for (const { userSessionId, roleAgentId } of due.roleAgents)
      await this.#each({ userSessionId }, async () =>
        store.run(giveUpRoleAgent, { ...(await this.#which(userSessionId)), roleAgentId }),
      )
    for (const { userSessionId, roleAgentId, ...forStart } of due.asleep)
      await this.#each({ userSessionId }, async () => {
        const which = await store.query(findUserSession, {
          userSessionId,
          accountId: null,
          forStart,
        })
        await store.run(wakeRoleAgent, { ...which, roleAgentId })
      })
    for (const approvalId of due.approvalIds)
      await this.#each({ approvalId }, async () =>
        store.run(expirePermission, await store.query(findPermission, { approvalId })),
      )
    for (const { userSessionId, again, ...limit } of due.limited)
      await this.#each(limit, async () => {
        const inRole = userSessionId === null ? null : await this.#which(userSessionId)
        if (userSessionId === null || !again)
          return void (await store.run(endLimit, { ...limit, inRole }))
        const which = await store.query(findUserSession, {
          userSessionId,
          accountId: null,
          forStart: again,
        })
        // No coordinator can start it now; retried in the next run.
        if (which.startOn === null) return
        try {
          await store.run(spawnRoleAgent, { ...which, ...again, load: true })
        } catch (error) {
          if (!(error instanceof Refusal) || error.code === 'busy') throw error
          await store.run(endLimit, { ...limit, inRole, cannotStart: true })
        }
      })
    const mayReconnect = now < this.#reconnectUntil
    for (const { userSessionId, roleAgentId } of mayReconnect ? [] : due.idle)
      await this.#each({ userSessionId }, async () =>
        store.run(sleepRoleAgent, { ...(await this.#which(userSessionId)), roleAgentId }),
      )
    for (const { userSessionId, cause } of due.forsaken.filter(
      (each) => !mayReconnect || each.cause !== 'detached',
    ))
      await this.#each({ userSessionId }, async () =>
        store.run(terminateUserSession, {
          ...(await this.#which(userSessionId)),
          reason: endReasons[cause],
        }),
      )
  }

  async #which(userSessionId: string): Promise<UserSessionLocks> {
    const {
      startOn: _,
      cannotStart: __,
      ...which
    } = await this.#options.store.query(findUserSession, { userSessionId, accountId: null })
    return which
  }

  async #each(which: object, work: () => Promise<unknown>): Promise<void> {
    await logFailure(this.#options.logger, 'A user session could not be swept', which, work)
  }
}
