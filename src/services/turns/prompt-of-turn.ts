/**
 * The prompt of a turn. An agent that is prompted is sent its messages as one, which is kept with
 * the turn; one that pulls was handed the messages themselves, and its prompt is made when it is
 * read, in the same words.
 */
import { promptOfMessages } from '../../domain/turns/prompts.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import { attachmentsIn, type PromptPart } from '../../protocol/turns/prompt.ts'
import { identityOf, otherAgent } from '../../store/conversations/conversation-identity.ts'
import { answeredBy, messagesOfTurn } from '../../store/conversations/unread.ts'
import type { Reader } from '../../store/store.ts'
import { isPushed, type TurnRow } from '../../store/turns/turns.ts'
import { senderOf, sendersOf } from '../conversations/message-senders.ts'
import { severalPeople } from './primer-record.ts'

type Asked = Pick<TurnRow, 'agent_id' | 'conversation_key'>

/** Several messages go together. */
export async function promptFrom(
  reader: Reader,
  { agent_id: agentId, conversation_key: key }: Asked,
  messages: readonly Message[],
): Promise<PromptPart[]> {
  const fromAgent = new Map<string, string | undefined>()
  for (const conversationKey of new Set(messages.map((message) => message.conversationKey)))
    fromAgent.set(conversationKey, otherAgent(await identityOf(reader, conversationKey), agentId))
  const { nameOf } = await sendersOf(reader, messages.map(senderOf))
  const texts = messages.map((message) => ({
    content: message.content,
    sender: nameOf(senderOf(message)),
    fromAgent: fromAgent.get(message.conversationKey),
    isAnswer: message.conversationKey !== key,
    handoffId: message.relatedHandoffId,
  }))
  return [
    { type: 'text', text: promptOfMessages(texts, await severalPeople(reader, key)) },
    ...messages.flatMap(({ media }) => attachmentsIn(media)),
  ]
}

/** Nothing is known of what an earlier build answered, nor of a turn whose messages went on. */
export async function promptOfTurn(reader: Reader, row: TurnRow): Promise<PromptPart[]> {
  if (isPushed(row)) return JSON.parse(row.content)
  if (row.state === 'queued') return []
  const messages = await (row.state === 'running' ? messagesOfTurn : answeredBy)(reader, row.id)
  return messages.length === 0 ? [] : promptFrom(reader, row, messages)
}
