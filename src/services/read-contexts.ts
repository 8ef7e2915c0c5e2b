/** What agents know of a conversation: their contexts, the newest first, and what the one that lives was primed with. */
import type { ConversationContext } from '../protocol/conversation-turn.ts'
import { type ContextRow, selectContextsIn } from '../store/queries/contexts.ts'
import { selectPrimerIn } from '../store/queries/turns.ts'
import { defineQuery } from '../store/store.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

const maxContexts = 50

const contextView = (row: ContextRow, primer: string | null): ConversationContext => ({
  id: row.id,
  agentId: row.agent_id,
  projectId: row.project_id,
  state: row.state,
  how: row.how,
  notRestored: row.not_restored,
  primer,
  launchId: row.launch_id,
  openedAt: row.opened_at,
  endedAt: row.ended_at,
  endReason: row.end_reason,
})

export const readContexts = defineQuery({
  name: 'read-contexts',
  run: async (reader, { key }: { key: string }): Promise<{ primer: string | null; contexts: ConversationContext[] }> => {
    streamOfKey(key)
    await existingConversation(reader, key)
    const contexts: ConversationContext[] = []
    for (const row of await reader.all(selectContextsIn, { key, limit: maxContexts })) {
      const primed = await reader.first(selectPrimerIn, { contextId: row.id })
      contexts.push(contextView(row, primed?.primer ?? null))
    }
    const current = contexts.find(({ state }) => state !== 'ended')
    return { primer: current?.primer ?? null, contexts }
  },
})
