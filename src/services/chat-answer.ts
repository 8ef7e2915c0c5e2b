/**
 * What an agent says in a chat, the same whether it pulled the messages or was given a turn (NA7, CH12): a message where the question
 * came from, and exactly the messages of its turn become read. What one agent asked another is answered into the context that asked.
 */
import { parseChannelKey } from '../domain/channel/key.ts'
import { isWork, webKey } from '../domain/conversation/key.ts'
import { conversationStream } from '../domain/stream/name.ts'
import type { Message } from '../protocol/message.ts'
import type { TurnRow } from '../store/queries/turns.ts'
import { deleteUnreadOfTurn, messagesOfTurn, type Receiver } from '../store/queries/unread.ts'
import type { Context, Tx } from '../store/store.ts'
import { otherAgent, tellAgent } from './agent-conversation.ts'
import { closeAfterTurn } from './chapter-record.ts'
import { appendMessage, openConversation } from './conversation-record.ts'
import { noSuchConversation } from './refusals.ts'
import { keepAnswer } from './work-conversation.ts'

interface Saying {
  readonly content: string
  /** The turn it was said in; undefined: nobody had asked. */
  readonly turn?: TurnRow | undefined
  /** Where it is said when nobody had asked. */
  readonly key: string
}

/** undefined: it has nothing to say. */
export async function sayAnswer(
  tx: Tx,
  caller: Receiver,
  { content, turn, key }: Saying,
  context: Context,
): Promise<Message | undefined> {
  const { agentId, projectId } = caller
  const toAgentId = otherAgent(key, agentId)
  // SE3: no agent writes in what is not its own. On a channel it answers what it was asked there, and says nothing unasked.
  const isOwn = key === webKey(projectId, agentId) || (turn !== undefined && (parseChannelKey(key) !== undefined || isWork(key)))
  if (toAgentId === undefined && !isOwn) throw noSuchConversation(key)
  if (content === '') return undefined
  if (toAgentId !== undefined) {
    const origin = turn?.origin_key ?? ''
    return tellAgent(tx, caller, { toAgentId, content, clientId: turn?.id, originKey: origin, intoKey: origin }, context)
  }
  if (turn && isWork(key)) {
    await keepAnswer(tx, turn, content, context)
    return undefined
  }
  const { row } = await openConversation(tx, key, context.now)
  const message = { senderId: agentId, receiverId: null, role: 'assistant', content, clientId: turn?.id } as const
  return appendMessage(tx, row, message, context, { readers: [] })
}

/** Exactly what the turn was about becomes read. The use case names the streams of all its messages. */
export async function settleMessages(tx: Tx, turn: TurnRow, answerSeq: number | null, context: Context): Promise<Message[]> {
  const messages = await messagesOfTurn(tx, turn.id)
  await tx.write(deleteUnreadOfTurn, { turnId: turn.id })
  for (const [key, some] of Map.groupBy(messages, ({ conversationKey }) => conversationKey)) {
    const seqs = some.map(({ seq }) => seq)
    const isHere = key === turn.conversation_key || turn.origin_key !== ''
    const data = { agentId: turn.agent_id, seqs, answerSeq: isHere ? answerSeq : null }
    tx.append(conversationStream(key), { type: 'messages-read', data })
    await closeAfterTurn(tx, key, context.now)
  }
  return messages
}
