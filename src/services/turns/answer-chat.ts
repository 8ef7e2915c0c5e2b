/**
 * A pulling agent's answer (NA7, `respond_chat`): becomes a message where the question came from, and exactly what this session was
 * handed becomes read. What came in between stays unread. Empty, it only marks them read. Under a client id it is done once.
 */

import { afterActivity } from '../../domain/agent-sessions/lifecycle.ts'
import { parseChannelKey } from '../../domain/channels/key.ts'
import { isWork, webKey } from '../../domain/conversations/key.ts'
import { conversationStream, projectStream, turnsStream } from '../../domain/stream-name.ts'
import { read } from '../../domain/turns/lifecycle.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import { changesOf, updateActivity } from '../../store/agent-sessions/agent-sessions.ts'
import { deleteUnreadOfTurn, messagesOfTurn, type Receiver } from '../../store/conversations/unread.ts'
import { type Context, defineQuery, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { selectRunningOfSession, type TurnRow, updateTurn } from '../../store/turns/turns.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { once, otherAgent, tellAgent } from '../conversations/agent-conversation.ts'
import { closeAfterTurn } from '../conversations/chapter-record.ts'
import { appendMessage, openConversation } from '../conversations/conversation-record.ts'
import { keepAnswer } from '../conversations/work-conversation.ts'
import { noSuchConversation } from '../refusals.ts'

// What an agent says in a chat, the same whether it pulled the messages or was given a turn (NA7, CH12): a message where the
// question came from, and exactly the messages of its turn become read. What one agent asked another is answered into the
// context that asked.

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

interface Answer extends Receiver {
  /** From `find-answered`: the conversation it goes to, and those of the messages that it answers. */
  readonly conversationKey: string
  readonly keys: readonly string[]
  readonly content: string
  readonly clientId?: string | undefined
}

interface Answered {
  readonly messageId: string | null
  readonly seq: number | null
  /** The messages that are read now. */
  readonly answered: readonly string[]
}

/** What it has in hand; there is one turn at a time. */
const inHand = (reader: Reader, { agentSessionId }: Receiver): Promise<TurnRow | undefined> =>
  reader.first(selectRunningOfSession, { agentSessionId })

/** Where its answer goes: the conversation of its turn, or, when it holds none, its chat with the people of the project. */
export const findAnswered = defineQuery({
  name: 'find-answered',
  run: async (reader, caller: Receiver): Promise<Pick<Answer, 'conversationKey' | 'keys'>> => {
    const turn = await inHand(reader, caller)
    const conversationKey = turn?.conversation_key ?? webKey(caller.projectId, caller.agentId)
    const messages = turn ? await messagesOfTurn(reader, turn.id) : []
    return { conversationKey, keys: [...new Set(messages.map((each) => each.conversationKey))] }
  },
})

export const answerChat = defineUseCase({
  name: 'answer-chat',
  streams: ({ projectId, conversationKey, keys }: Answer) => [
    conversationStream(conversationKey),
    turnsStream(conversationKey),
    ...keys.map(conversationStream),
    projectStream(projectId),
  ],
  run: (tx, input, context): Promise<Answered> =>
    once(tx, { ...input, operation: 'answer-chat' }, context.now, () => answer(tx, input, context)),
})

async function answer(tx: Tx, input: Answer, context: Context): Promise<Answered> {
  const { conversationKey: key, content } = input
  const { now } = context
  const agentSession = await liveAgentSession(tx, input)
  await tx.write(updateActivity, changesOf(afterActivity(now, agentSession, 'answer')))
  const found = await inHand(tx, input)
  const turn = found?.conversation_key === key ? found : undefined
  const said = await sayAnswer(tx, input, { content, turn, key }, context)
  if (!turn) return { messageId: said?.id ?? null, seq: said?.seq ?? null, answered: [] }
  const stop_reason = content === '' ? read : 'end_turn'
  await tx.write(updateTurn, { ...turn, state: 'answered', stop_reason, answer: content, ended_at: now })
  const answered = await settleMessages(tx, turn, said?.seq ?? null, context)
  return { messageId: said?.id ?? null, seq: said?.seq ?? null, answered: answered.map(({ id }) => id) }
}
