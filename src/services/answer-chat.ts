/**
 * A pulling agent's answer (NA7, `respond_chat`): becomes a message where the question came from, and exactly what this session was
 * handed becomes read. What came in between stays unread. Empty, it only marks them read. Under a client id it is done once.
 */
import { afterActivity } from '../domain/agent-session/lifecycle.ts'
import { webKey } from '../domain/conversation/key.ts'
import { conversationStream, projectStream, turnsStream } from '../domain/stream/name.ts'
import { read } from '../domain/turn/lifecycle.ts'
import { changesOf, updateActivity } from '../store/queries/agent-sessions.ts'
import { selectRunningOfSession, type TurnRow, updateTurn } from '../store/queries/turns.ts'
import { messagesOfTurn, type Receiver } from '../store/queries/unread.ts'
import { type Context, defineQuery, defineUseCase, type Reader, type Tx } from '../store/store.ts'
import { sayAnswer, settleMessages } from './chat-answer.ts'
import { liveAgentSession } from './live-agent-session.ts'
import { once } from './once.ts'

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
