/** What an agent that took work up is told about it, as it stands now (`get_resume_context`); null when its work was begun, not resumed. */
import type { ResumeContext } from '../domain/work-session/resume-context.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { selectWorkSession } from '../store/queries/work-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { liveAgentSession } from './live-agent-session.ts'
import { contextOf } from './resume-context.ts'

export const getResumeContext = defineQuery({
  name: 'get-resume-context',
  run: async (reader, caller: Receiver): Promise<ResumeContext | null> => {
    const { workSessionId, agentId } = await liveAgentSession(reader, caller)
    const row = workSessionId === null ? undefined : await reader.first(selectWorkSession, { id: workSessionId })
    return row?.parent_session_id ? contextOf(reader, row, agentId) : null
  },
})
