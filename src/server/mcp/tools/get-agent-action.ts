/** `get_agent_action` (CO3): whether an agent should be started, for coordinators that others write. */
import * as z from 'zod'
import { Id } from '../../../protocol/text.ts'
import { getAgentAction as getActionFor } from '../../../services/get-agent-action.ts'
import { coordinatorOnly } from '../coordinator-only.ts'
import { defineTool, reads } from '../tool.ts'

export const getAgentAction = defineTool({
  name: 'get_agent_action',
  title: 'For coordinators: should this agent be started?',
  description:
    'For coordinators, the programs that start and watch agent processes; agents do not need it. Says whether a process of this ' +
    'agent should be started in this project now: start, none, or hold (too many failed starts), with the reason.',
  annotations: reads,
  input: z.strictObject({ agent_id: Id, project_id: Id }),
  output: z.object({ action: z.enum(['start', 'none', 'hold']), reason: z.string() }),
  run: async ({ agent_id, project_id }, call) => {
    coordinatorOnly(call)
    const { action, reason } = await call.doors.store.query(getActionFor, { agentId: agent_id, projectId: project_id })
    return { action, reason }
  },
})
