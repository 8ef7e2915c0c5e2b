/** The agent in a role that was at a work session last (RS2); undefined when the work was another's. */
import { selectAtWork } from '../store/queries/role-agents.ts'
import { defineQuery } from '../store/store.ts'

export interface RoleAtWork {
  readonly userSessionId: string
  readonly role: string
  readonly agentId: string
  readonly workspace: string | null
}

export const findRoleAtWork = defineQuery({
  name: 'find-role-at-work',
  run: async (reader, { workSessionId }: { workSessionId: string }): Promise<RoleAtWork | undefined> => {
    const row = await reader.first(selectAtWork, { workSessionId })
    if (!row) return undefined
    return { userSessionId: row.user_session_id, role: row.role, agentId: row.agent_id, workspace: row.workspace_wanted }
  },
})
