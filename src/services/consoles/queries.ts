/** Read queries for user sessions and agents in roles. */

import { isVisible, type Viewer } from '../../domain/access/visibility.ts'
import { Refusal } from '../../domain/errors.ts'
import { inField } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { type RelayAnswer, relayAnswer } from '../../protocol/consoles/relay.ts'
import type { UserSession } from '../../protocol/consoles/user-session.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import {
  selectAtWork,
  type UserSessionRow,
  type UserSessionsFilter,
  userSessionsPage,
} from '../../store/consoles/user-sessions.ts'
import { cutPage, pageParams } from '../../store/page-cursor.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { projectsPage } from '../../store/projects/projects.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { selectOfRole } from '../../store/worktrees/worktrees.ts'
import { ownerOf } from '../access/owners.ts'
import { chosenMachine } from '../processes/launch-record.ts'
import { type AskedUserSession, existingUserSession } from './role-agent-record.ts'
import { userSessionView } from './user-session-view.ts'

/** Returns a user session, also a terminated one (US4). */
export const getUserSession = defineQuery('get-user-session', {
  scope: 'read',
  on: 'user-session',
  run: async (reader, wanted: AskedUserSession): Promise<UserSession> =>
    userSessionView(reader, await existingUserSession(reader, wanted)),
})

interface UserSessionsQuery extends PageQuery, Omit<UserSessionsFilter, 'accountId'> {
  readonly viewer: Viewer
}

/** Lists user sessions, live or terminated, newest first: the account's own, or all for owners. */
export const listUserSessions = defineQuery('list-user-sessions', {
  scope: 'read',
  on: 'viewer',
  run: async (
    reader,
    { limit, cursor, viewer, ...filter }: UserSessionsQuery,
  ): Promise<Page<UserSession>> => {
    const found: UserSession[] = []
    for (const row of await userSessionsPage(
      reader,
      { ...filter, accountId: viewer },
      pageParams({ limit, cursor }),
    ))
      found.push(await userSessionView(reader, row))
    return cutPage(found, limit)
  },
})

export interface StartTarget {
  readonly role: string
  readonly agentId: string | undefined
}

/** The project of a user session that names none: the only one there is. */
export const findOnlyProject = defineQuery('find-only-project', {
  scope: 'anybody',
  on: 'nobody',
  run: async (reader, _: Record<never, never>): Promise<string> => {
    const [only, ...others] = await projectsPage(reader, pageParams({ limit: maxNamedProjects }))
    if (only && others.length === 0) return only.id
    const named = [only, ...others].flatMap((each) => (each ? [`${each.name} (${each.id})`] : []))
    throw only
      ? new Refusal(
          'invalid_request',
          inField('projectId', refusalText('whichProject', { projects: named.join(', ') })),
          {
            field: 'projectId',
          },
        )
      : new Refusal('not_found', refusalText('noProjectYet'))
  },
})

/** Projects that a refusal names. */
const maxNamedProjects = 20

export interface StartMachine {
  readonly projectId: string
  readonly startOn: string | null
  /** Why no coordinator can be used although others are connected. */
  readonly cannotStart: string | null
}

/** Chooses the coordinator for a new process in a user session. */
export const findStartMachine = defineQuery('find-start-machine', {
  scope: 'anybody',
  on: 'user-session',
  run: async (
    reader,
    { role, agentId, ...asked }: AskedUserSession & StartTarget,
  ): Promise<StartMachine> => {
    const row = await existingUserSession(reader, asked)
    const chosen = await coordinatorForStart(reader, row, { role, agentId })
    return { projectId: row.project_id, ...chosen }
  },
})

/** The coordinator to start on: the one that has the role's worktree, if any (WT2, RS2). */
async function coordinatorForStart(
  reader: Reader,
  { id: userSessionId, project_id: projectId }: UserSessionRow,
  { role, agentId }: StartTarget,
): Promise<Omit<StartMachine, 'projectId'>> {
  const tree = await reader.first(selectOfRole, { userSessionId, role })
  const own = tree && (await findCoordinatorRow(reader, tree.coordinator_id))
  if (own?.state === 'connected') return { startOn: own.id, cannotStart: null }
  const startOn = (await chosenMachine(reader, { agentId, projectId })) ?? null
  const other = startOn === null ? undefined : await findCoordinatorRow(reader, startOn)
  // The same machine under another coordinator id has the worktree too.
  if (!own || !other || other.machine === own.machine) return { startOn, cannotStart: null }
  return {
    startOn: null,
    cannotStart: `Its worktree is on the machine ${own.machine}, which is not connected`,
  }
}

export interface RoleAtWork {
  readonly userSessionId: string
  /** Whether the user session is somebody else's. */
  readonly isOthers: boolean
  readonly role: string
  readonly agentId: string
  readonly workspace: string | null
}

/**
 * The agent in a role that last worked on a work session (RS2). Undefined if the work was not done
 * in a role.
 */
export const findRoleAtWork = defineQuery('find-role-at-work', {
  scope: 'anybody',
  on: 'viewer',
  run: async (
    reader,
    { workSessionId, viewer }: { workSessionId: string; viewer: Viewer },
  ): Promise<RoleAtWork | undefined> => {
    const row = await reader.first(selectAtWork, { workSessionId })
    if (!row) return undefined
    const ownerId = await ownerOf(reader, { of: 'user-session', id: row.user_session_id })
    const {
      user_session_id: userSessionId,
      role,
      agent_id: agentId,
      workspace_wanted: workspace,
    } = row
    return { userSessionId, isOthers: !isVisible(viewer, ownerId), role, agentId, workspace }
  },
})

type Ended =
  | { readonly turnId: string }
  | { readonly roleAgentId: string }
  | { readonly userSessionId: string }

/**
 * The event that announced an end, for answering a repeated request (RL2). Null if it has not
 * ended.
 */
export const findEndSeq = defineQuery('find-end-seq', {
  scope: 'anybody',
  on: 'caller',
  run: async (reader, ended: Ended): Promise<number | null> => {
    if ('turnId' in ended)
      return (await reader.row('turns', { id: ended.turnId }))?.ended_seq ?? null
    if ('roleAgentId' in ended)
      return (await reader.row('role_agents', { id: ended.roleAgentId }))?.terminated_seq ?? null
    return (await reader.row('user_sessions', { id: ended.userSessionId }))?.closed_seq ?? null
  },
})

export type EndOf = Exclude<Ended, { turnId: string }>

/** The answer for a request whose end another request had caused. */
export const findEndAnswer = defineQuery('find-end-answer', {
  scope: 'anybody',
  on: 'caller',
  run: async (reader, ended: EndOf): Promise<RelayAnswer | null> => {
    if ('roleAgentId' in ended) {
      const row = await reader.row('role_agents', { id: ended.roleAgentId })
      if (row?.terminated_seq == null) return null
      return relayAnswer('agent:terminated', row.user_session_id, {
        role: row.role,
        reason: row.terminate_reason ?? '',
      })
    }
    const row = await reader.row('user_sessions', { id: ended.userSessionId })
    if (row?.closed_seq == null) return null
    const { terminate_reason: reason, agents_terminated: agentsTerminated } = row
    return relayAnswer('session:terminated', row.id, { reason: reason ?? '', agentsTerminated })
  },
})
