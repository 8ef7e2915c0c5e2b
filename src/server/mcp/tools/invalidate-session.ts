/** `invalidate_session` (PX1): what `report_process_exit` has replaced; the same as one with no process left. */
import * as z from 'zod'
import { ProcessExitAnswer } from '../../../protocol/process-exit.ts'
import { Id } from '../../../protocol/text.ts'
import { coordinatorOnly } from '../coordinator-only.ts'
import { defineTool, ends } from '../tool.ts'

export const invalidateSession = defineTool({
  name: 'invalidate_session',
  title: 'For coordinators (deprecated): end all sessions of an agent',
  description:
    'Deprecated: use report_process_exit, which can say which process exited. For coordinators; agents do not need it. ' +
    'Ends every session of the agent in the project, as when none of its processes is left.',
  annotations: ends,
  input: z.strictObject({ agent_id: Id, project_id: Id }),
  output: ProcessExitAnswer,
  run: ({ agent_id, project_id }, call) => {
    coordinatorOnly(call)
    const exit = { agentId: agent_id, projectId: project_id, remainingProcesses: 0 }
    return call.doors.agents.reportExit(call.presented.who, exit)
  },
})
