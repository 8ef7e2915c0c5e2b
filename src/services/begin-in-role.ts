/**
 * Starts prompts in roles that waited for another conversation's turn in the same folder, once that has ended or a person
 * allowed both (CX9). Running this too early or twice changes nothing.
 */
import { projectStream } from '../domain/stream-name.ts'
import { selectRoleAgent } from '../store/consoles/role-agents.ts'
import { findLaunch } from '../store/processes/launches.ts'
import { defineQuery, defineUseCase } from '../store/store.ts'
import { selectWaitingInRoles } from '../store/turns/turns-in-folders.ts'
import { findUserSession } from './consoles/queries.ts'
import { promptStreams, requireLocked, type UserSessionLocks } from './consoles/user-session-record.ts'
import { nextInRole, startNext } from './turns/start-in-role.ts'

/** Roles in one query. */
const rolesPageSize = 200

interface RoleInput extends UserSessionLocks {
  readonly roleAgentId: string
}

export const findStartableRoles = defineQuery({
  name: 'find-startable-roles',
  run: async (reader, _: Record<never, never>, context): Promise<RoleInput[]> => {
    const found: RoleInput[] = []
    for (const { id: roleAgentId } of await reader.all(selectWaitingInRoles, { limit: rolesPageSize })) {
      const agent = await reader.first(selectRoleAgent, { id: roleAgentId })
      if (!agent || !(await nextInRole(reader, agent))) continue
      const which = await findUserSession.run(reader, { userSessionId: agent.user_session_id, accountId: null }, context)
      found.push({ ...which, roleAgentId })
    }
    return found
  },
})

export const startWaitingRole = defineUseCase({
  name: 'start-waiting-role',
  streams: (input: RoleInput) => [...promptStreams(input), projectStream(input.projectId)],
  run: async (tx, { roleAgentId, ...which }, context): Promise<void> => {
    const agent = await tx.first(selectRoleAgent, { id: roleAgentId })
    const launch = agent?.launch_id ? await findLaunch(tx, agent.launch_id) : undefined
    if (!agent || !launch || agent.state !== 'ACTIVE' || agent.terminating_at !== null) return
    requireLocked(which, launch.coordinatorId)
    await startNext(tx, agent, context)
  },
})
