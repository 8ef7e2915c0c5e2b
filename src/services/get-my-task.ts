/** What an agent session should be at (`get_my_task`): a task of its agent that is in progress, where the work goes on (AS3), and what was decided about it. */
import type { ToldDecision } from '../domain/approval/told-decision.ts'
import type { Task } from '../protocol/task.ts'
import { selectTaskAtHand, taskOf } from '../store/queries/tasks.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { defineQuery } from '../store/store.ts'
import { liveAgentSession } from './live-agent-session.ts'
import { decisionsAt } from './told-decisions.ts'

export const getMyTask = defineQuery({
  name: 'get-my-task',
  run: async (reader, caller: Receiver): Promise<{ task: Task | null; decisions: ToldDecision[] }> => {
    const { agentId, projectId, workSessionId } = await liveAgentSession(reader, caller)
    const row = await reader.first(selectTaskAtHand, { agentId, projectId, workSessionId })
    if (!row) return { task: null, decisions: [] }
    const decided = await decisionsAt(reader, { agentId, projectId, workSessionId: row.session_id ?? workSessionId }, row)
    return { task: taskOf(row), decisions: decided.map(({ decision }) => decision) }
  },
})
