/** What an agent session should be at (`get_my_task`): a task of its agent that is in progress, where the work goes on (AS3). */
import type { Task } from '../protocol/task.ts'
import { selectTaskAtHand, taskOf } from '../store/queries/tasks.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { defineQuery } from '../store/store.ts'
import { liveAgentSession } from './live-agent-session.ts'

export const getMyTask = defineQuery({
  name: 'get-my-task',
  run: async (reader, caller: Receiver): Promise<{ task: Task | null }> => {
    const { agentId, projectId, workSessionId } = await liveAgentSession(reader, caller)
    const row = await reader.first(selectTaskAtHand, { agentId, projectId, workSessionId })
    return { task: row ? taskOf(row) : null }
  },
})
