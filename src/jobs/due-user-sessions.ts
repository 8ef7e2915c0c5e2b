/**
 * Deadlines in user sessions (US3, US4, AG2, AG6, AP4): agents that do not exit or get ready in
 * time, sleeping agents that are needed, limits that are over (also in chats), unanswered
 * permissions, and sessions without a connection. After a break in hearing no session counts as
 * detached until clients had time to reconnect (hearing.ts).
 */
import { Refusal } from '../domain/errors.ts'
import type { Clock } from '../platform/time/clock.ts'
import { findExpiredPermissions } from '../services/approvals/queries.ts'
import {
  type EndedLimit,
  endReasons,
  findAbandoned,
  findEndedLimits,
  findIdleRoleAgents,
  findNeededRoleAgents,
  findOverdueRoleAgents,
  findWithoutProject,
} from '../services/consoles/due-user-sessions.ts'
import {
  findStartMachine,
  type StartMachine,
  type StartTarget,
} from '../services/consoles/queries.ts'
import { expirePermission } from '../services/flows/approvals/answer-permission.ts'
import { carryOutDecision, findHeldDecisions } from '../services/flows/approvals/held-decisions.ts'
import {
  attachedForMs,
  terminateUserSession,
} from '../services/flows/consoles/change-user-session.ts'
import { giveUpRoleAgent } from '../services/flows/consoles/end-role-agent.ts'
import {
  sleepRoleAgent,
  spawnRoleAgent,
  wakeRoleAgent,
} from '../services/flows/consoles/spawn-role-agent.ts'
import { endLimit } from '../services/flows/turns/end-limit.ts'
import type { Store } from '../store/store.ts'
import type { DueWork } from './due-work.ts'
import type { Hearing } from './hearing.ts'

const everyMs = 1000

export interface DueUserSessionsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly hearing: Hearing
}

export const dueUserSessions = (options: DueUserSessionsOptions): readonly DueWork[] => [
  overdueRoleAgents(options),
  neededRoleAgents(options),
  expiredPermissions(options),
  heldDecisions(options),
  endedLimits(options),
  idleRoleAgents(options),
  userSessionsWithoutProject(options),
  abandonedUserSessions(options),
]

const overdueRoleAgents = ({ store }: DueUserSessionsOptions): DueWork => ({
  everyMs,
  failureText: 'agents that do not start or exit in time could not be given up',
  find: () => store.query(findOverdueRoleAgents, {}),
  run: (due) => store.run(giveUpRoleAgent, due),
})

const neededRoleAgents = ({ store }: DueUserSessionsOptions): DueWork => ({
  everyMs,
  failureText: 'sleeping agents could not be woken',
  find: () => store.query(findNeededRoleAgents, {}),
  async run({ role, agentId, ...which }) {
    const { startOn } = await machineFor(store, which.userSessionId, { role, agentId })
    await store.run(wakeRoleAgent, { ...which, startOn })
  },
})

const expiredPermissions = ({ store }: DueUserSessionsOptions): DueWork => ({
  everyMs,
  failureText: 'permissions that nobody answered could not be closed',
  find: () => store.query(findExpiredPermissions, {}),
  run: (due) => store.run(expirePermission, due),
})

const heldDecisions = ({ store }: DueUserSessionsOptions): DueWork => ({
  everyMs,
  failureText: 'held decisions could not be carried out',
  find: () => store.query(findHeldDecisions, {}),
  run: (due) => store.run(carryOutDecision, due),
})

const endedLimits = ({ store }: DueUserSessionsOptions): DueWork<EndedLimit> => ({
  everyMs,
  failureText: 'limits that are over could not be ended',
  find: () => store.query(findEndedLimits, {}),
  run: ({ again, ...limit }) =>
    limit.userSessionId !== null && again
      ? spawnAgain(store, limit, limit.userSessionId, again)
      : store.run(endLimit, limit),
})

const idleRoleAgents = ({ store, ...options }: DueUserSessionsOptions): DueWork => ({
  everyMs,
  failureText: 'idle agents could not be put to sleep',
  find: async () => (mayReconnect(options) ? [] : store.query(findIdleRoleAgents, {})),
  run: (due) => store.run(sleepRoleAgent, due),
})

const userSessionsWithoutProject = ({ store }: DueUserSessionsOptions): DueWork => ({
  everyMs,
  failureText: 'user sessions of deleted projects could not be ended',
  find: () => store.query(findWithoutProject, {}),
  run: ({ userSessionId }) =>
    store.run(terminateUserSession, {
      userSessionId,
      reason: endReasons.projectDeleted,
    }),
})

const abandonedUserSessions = ({ store, ...options }: DueUserSessionsOptions): DueWork => ({
  everyMs,
  failureText: 'abandoned user sessions could not be ended',
  find: async () => (mayReconnect(options) ? [] : store.query(findAbandoned, {})),
  run: ({ userSessionId }) =>
    store.run(terminateUserSession, {
      userSessionId,
      reason: endReasons.detached,
    }),
})

/** Clients may still be connecting again after a break. */
const mayReconnect = ({ clock, hearing }: Pick<DueUserSessionsOptions, 'clock' | 'hearing'>) =>
  clock.now() < hearing.since + attachedForMs

/**
 * AG6: starts a failed agent whose limit is over. Where no coordinator can start it now, the next
 * look tries again.
 */
async function spawnAgain(
  store: Store,
  limit: Omit<EndedLimit, 'again'>,
  userSessionId: string,
  again: NonNullable<EndedLimit['again']>,
): Promise<void> {
  const { startOn, cannotStart } = await machineFor(store, userSessionId, again)
  if (startOn === null) return
  const spawn = { userSessionId, startOn, cannotStart, ...again, load: true }
  try {
    await store.run(spawnRoleAgent, spawn)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'busy') throw error
    await store.run(endLimit, { ...limit, cannotStart: true })
  }
}

const machineFor = (
  store: Store,
  userSessionId: string,
  { role, agentId }: StartTarget,
): Promise<StartMachine> => store.query(findStartMachine, { userSessionId, role, agentId })
