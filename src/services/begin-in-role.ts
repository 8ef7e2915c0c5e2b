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
import { mustBeLocked, talkStreams, type WhichUserSession } from './consoles/user-session-record.ts'
import { nextInRole, startNext } from './turns/start-in-role.ts'

/** Roles in one query. */
const lookedAtOnce = 200

interface Input extends WhichUserSession {
  readonly roleAgentId: string
}

export const findRolesToBegin = defineQuery({
  name: 'find-roles-to-begin',
  run: async (reader, _: Record<never, never>, context): Promise<Input[]> => {
    const found: Input[] = []
    for (const { id: roleAgentId } of await reader.all(selectWaitingInRoles, { limit: lookedAtOnce })) {
      const agent = await reader.first(selectRoleAgent, { id: roleAgentId })
      if (!agent || !(await nextInRole(reader, agent))) continue
      const which = await findUserSession.run(reader, { userSessionId: agent.user_session_id, accountId: null }, context)
      found.push({ ...which, roleAgentId })
    }
    return found
  },
})

export const beginInRole = defineUseCase({
  name: 'begin-in-role',
  streams: (input: Input) => [...talkStreams(input), projectStream(input.projectId)],
  run: async (tx, { roleAgentId, ...which }, context): Promise<void> => {
    const agent = await tx.first(selectRoleAgent, { id: roleAgentId })
    const launch = agent?.launch_id ? await findLaunch(tx, agent.launch_id) : undefined
    if (!agent || !launch || agent.state !== 'ACTIVE' || agent.terminating_at !== null) return
    mustBeLocked(which, launch.coordinatorId)
    await startNext(tx, agent, context)
  },
})
