/**
 * Adds a message of any role to a conversation (CV1 addMessage, addFullMessage). In a chat with an
 * agent a user message becomes unread for that agent. A repeated client id adds nothing.
 */
import type * as z from 'zod'
import type { Scope } from '../../../domain/access/scopes.ts'
import { putInName } from '../../../domain/conversations/senders.ts'
import type { Message, MessageDraft } from '../../../protocol/conversations/message.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import { messageOf, selectByClientId } from '../../../store/conversations/messages.ts'
import { selectAssignment } from '../../../store/projects/projects.ts'
import { defineUseCase, type Reader } from '../../../store/store.ts'
import { currentConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { requireOwnMessages } from '../../conversations/own-messages.ts'
import { clientIdReused } from '../../refusals.ts'
import { postForAgents } from './post-for-agents.ts'

type NewConversationMessage = z.output<typeof MessageDraft> & {
  readonly key: string
  readonly by: string
  readonly scopes?: readonly Scope[]
}

export const addMessage = defineUseCase('add-message', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: NewConversationMessage) => [streamOfKey(key)],
  run: async (tx, input, context): Promise<Message> => {
    const { key, by, scopes, ...draft } = input
    await requireOwnMessages(tx, scopes, key, [draft])
    const row = await currentConversation(tx, key, context.now)
    const earlier = await earlierMessage(tx, input)
    if (earlier) return earlier
    const readers = draft.role === 'user' ? await agentOf(tx, row) : []
    // CV14: a person puts it in for somebody else.
    const senderName = draft.role === 'user' ? undefined : putInName(draft.role)
    const message = { ...draft, senderId: by, senderName, receiverId: readers[0] ?? null }
    return postForAgents(tx, row, message, context, { readers })
  },
})

/** The agent of a chat, if it is assigned to the project. */
async function agentOf(
  reader: Reader,
  { project_id, agent_id }: ConversationRow,
): Promise<string[]> {
  if (project_id === null || agent_id === null) return []
  return (await reader.first(selectAssignment, { project_id, agent_id })) ? [agent_id] : []
}

async function earlierMessage(
  reader: Reader,
  { key, by, clientId, ...draft }: NewConversationMessage,
): Promise<Message | undefined> {
  if (clientId === undefined) return undefined
  const row = await reader.first(selectByClientId, { senderId: by, clientId })
  if (!row) return undefined
  if (row.conversation_key !== key || row.role !== draft.role || row.content !== draft.content)
    throw clientIdReused(clientId)
  return messageOf(row)
}
