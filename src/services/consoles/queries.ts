/** Reads about user sessions and the agents in their roles. */

import type { Who } from '../../domain/access/who.ts'
import { endedAnswer, terminatedAnswer } from '../../protocol/consoles/relay.ts'
import type { UserSession } from '../../protocol/consoles/user-session.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import { selectAtWork, selectCoordinatorsOf, selectRoleAgent } from '../../store/consoles/role-agents.ts'
import {
  selectUserSession,
  type UserSessionRow,
  type UserSessionsFilter,
  userSessionsPage,
} from '../../store/consoles/user-sessions.ts'
import { cutPage, pageParams } from '../../store/page-cursor.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { selectTurn } from '../../store/turns/turns.ts'
import { selectOfRole } from '../../store/worktrees/worktrees.ts'
import { chosenMachine } from '../processes/start-facts.ts'
import { noSuchUserSession, type WhichUserSession } from './user-session-record.ts'
import { userSessionView } from './user-session-view.ts'

/** Reads a user session, also one that is terminated (US4); to another account it is not there. */
export const getUserSession = defineQuery({
  name: 'get-user-session',
  run: async (reader, asked: { userSessionId: string; accountId: string | null }): Promise<UserSession> => {
    const row = await reader.first(selectUserSession, { id: asked.userSessionId })
    if (!row || (asked.accountId !== null && row.account_id !== asked.accountId)) throw noSuchUserSession(asked.userSessionId)
    return userSessionView(reader, row)
  },
})

/** Lists the user sessions that are not terminated, or those that are, newest first: one's own, or everybody's for who manages the installation. */
export const listUserSessions = defineQuery({
  name: 'list-user-sessions',
  run: async (reader, { limit, cursor, ...filter }: PageQuery & UserSessionsFilter): Promise<Page<UserSession>> => {
    const found: UserSession[] = []
    for (const row of await userSessionsPage(reader, filter, pageParams({ limit, cursor })))
      found.push(await userSessionView(reader, row))
    return cutPage(found, limit)
  },
})

/** Whose it has to be: everybody's for who manages the installation. */
export const accountOf = ({ id, scopes }: Pick<Who, 'id' | 'scopes'>): string | null => (scopes.includes('manage') ? null : id)

/** Who would be started, in which role. */
export interface Start {
  readonly role: string
  readonly agentId: string | undefined
}

interface Asked {
  readonly userSessionId: string
  readonly accountId: string | null
  /** Also the coordinator that a new process would be given to. */
  readonly forStart?: Start | undefined
}

export interface FoundUserSession extends WhichUserSession {
  readonly startOn: string | null
  /** Why there is none, when others are there. */
  readonly cannotStart: string | null
}

/** Which streams a use case about a user session has to lock; to another account it is not there (SE3, US3). */
export const findUserSession = defineQuery({
  name: 'find-user-session',
  run: async (reader, { userSessionId, accountId, forStart }: Asked): Promise<FoundUserSession> => {
    const row = await reader.first(selectUserSession, { id: userSessionId })
    if (!row || (accountId !== null && row.account_id !== accountId)) throw noSuchUserSession(userSessionId)
    const coordinators = await reader.all(selectCoordinatorsOf, { userSessionId })
    const { startOn, cannotStart } = forStart ? await placeForStart(reader, row, forStart) : nowhere
    const coordinatorIds = new Set(coordinators.map(({ coordinator_id }) => coordinator_id))
    if (startOn !== null) coordinatorIds.add(startOn)
    return { userSessionId, projectId: row.project_id, coordinatorIds: [...coordinatorIds], startOn, cannotStart }
  },
})

const nowhere = { startOn: null, cannotStart: null }

/** Where the role has its worktree, if it has one: its work is there and nowhere else (WT2, RS2). */
async function placeForStart(
  reader: Reader,
  { id: userSessionId, project_id: projectId }: UserSessionRow,
  { role, agentId }: Start,
): Promise<Pick<FoundUserSession, 'startOn' | 'cannotStart'>> {
  const tree = await reader.first(selectOfRole, { userSessionId, role })
  const own = tree && (await findCoordinatorRow(reader, tree.coordinator_id))
  if (own?.state === 'connected') return { startOn: own.id, cannotStart: null }
  const startOn = (await chosenMachine(reader, { agentId, projectId })) ?? null
  const other = startOn === null ? undefined : await findCoordinatorRow(reader, startOn)
  // The same machine under another name has it too.
  if (!own || !other || other.machine === own.machine) return { startOn, cannotStart: null }
  return { startOn: null, cannotStart: `Its worktree is on the machine ${own.machine}, which is not connected` }
}

export interface RoleAtWork {
  readonly userSessionId: string
  readonly role: string
  readonly agentId: string
  readonly workspace: string | null
}

/** The agent in a role that was at a work session last (RS2); undefined when the work was another's. */
export const findRoleAtWork = defineQuery({
  name: 'find-role-at-work',
  run: async (reader, { workSessionId }: { workSessionId: string }): Promise<RoleAtWork | undefined> => {
    const row = await reader.first(selectAtWork, { workSessionId })
    if (!row) return undefined
    return { userSessionId: row.user_session_id, role: row.role, agentId: row.agent_id, workspace: row.workspace_wanted }
  },
})

type Ended = { readonly turnId: string } | { readonly roleAgentId: string } | { readonly userSessionId: string }

/** The event that told the end of something, if it was told: what a repeated request is answered with (RL2). */
export const findToldEnd = defineQuery({
  name: 'find-told-end',
  run: async (reader, ended: Ended): Promise<number | null> => {
    if ('turnId' in ended) return (await reader.first(selectTurn, { id: ended.turnId }))?.ended_seq ?? null
    if ('roleAgentId' in ended) return (await reader.first(selectRoleAgent, { id: ended.roleAgentId }))?.terminated_seq ?? null
    return (await reader.first(selectUserSession, { id: ended.userSessionId }))?.closed_seq ?? null
  },
})

export type EndOf = Exclude<Ended, { turnId: string }>

/** The same in words, for who asked for what another had asked for before: an answer under a request id of its own. */
export const findEndAnswer = defineQuery({
  name: 'find-end-answer',
  run: async (reader, ended: EndOf): Promise<ReturnType<typeof endedAnswer> | ReturnType<typeof terminatedAnswer> | null> => {
    if ('roleAgentId' in ended) {
      const row = await reader.first(selectRoleAgent, { id: ended.roleAgentId })
      return row?.terminated_seq == null ? null : terminatedAnswer(row.user_session_id, row.role, row.terminate_reason ?? '')
    }
    const row = await reader.first(selectUserSession, { id: ended.userSessionId })
    return row?.closed_seq == null ? null : endedAnswer(row.id, row.terminate_reason ?? '', row.agents_terminated)
  },
})
