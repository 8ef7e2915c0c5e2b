/** The chats whose agents' limit is over (AG6): a bounded number, those that are over longest first. */
import { selectChatLimitsUntil } from '../store/queries/chat-limits.ts'
import { defineQuery } from '../store/store.ts'

const atOnce = 100

interface EndedChatLimit {
  readonly conversationKey: string
  readonly projectId: string
}

export const findEndedChatLimits = defineQuery({
  name: 'find-ended-chat-limits',
  run: async (reader, _: Record<never, never>, { now }): Promise<EndedChatLimit[]> => {
    const rows = await reader.all(selectChatLimitsUntil, { until: now, limit: atOnce })
    return rows.map((row) => ({ conversationKey: row.conversation_key, projectId: row.project_id }))
  },
})
