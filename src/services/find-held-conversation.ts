/**
 * Where an agent session's answer goes: the conversation of the messages it was handed, or, when it holds none, its chat with
 * the people of the project. Asked before `answer-chat`, which has to know the stream it locks.
 */
import { webKey } from '../domain/conversation/key.ts'
import { type Receiver, selectHeldConversation } from '../store/queries/unread.ts'
import { defineQuery } from '../store/store.ts'

export const findHeldConversation = defineQuery({
  name: 'find-held-conversation',
  run: async (reader, caller: Receiver): Promise<string> =>
    (await reader.first(selectHeldConversation, caller))?.conversation_key ?? webKey(caller.projectId, caller.agentId),
})
