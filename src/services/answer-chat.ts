/**
 * An agent's answer (NA7, `respond_chat`): becomes a message where the question came from, and exactly what this session was
 * handed becomes read. What came in between stays unread. Empty, it only marks them read. Under a client id it is done once.
 */
import { afterActivity } from '../domain/agent-session/lifecycle.ts'
import { parseChannelKey } from '../domain/channel/key.ts'
import { webKey } from '../domain/conversation/key.ts'
import { answeredBy } from '../domain/conversation/unread.ts'
import { conversationStream, projectStream } from '../domain/stream/name.ts'
import type { Message } from '../protocol/message.ts'
import { changesOf, updateActivity } from '../store/queries/agent-sessions.ts'
import { deleteUnread, heldBy, type Receiver } from '../store/queries/unread.ts'
import { type Context, defineUseCase, type Tx } from '../store/store.ts'
import { otherAgent, tellAgent } from './agent-conversation.ts'
import { closeAfterTurn } from './chapter-record.ts'
import { appendMessage, openConversation } from './conversation-record.ts'
import { liveAgentSession } from './live-agent-session.ts'
import { once } from './once.ts'
import { noSuchConversation } from './refusals.ts'

interface Answer extends Receiver {
  /** From `find-held-conversation`. */
  readonly conversationKey: string
  readonly content: string
  readonly clientId?: string | undefined
  /** CH12: what was said in a turn; the message is known by it. `asksNobody`: the other agent need not answer it. */
  readonly spoken?: { readonly turnId: string; readonly asksNobody: boolean } | undefined
}

interface Answered {
  /** null when it was empty. */
  readonly messageId: string | null
  readonly seq: number | null
  /** The ids of the messages that became read. */
  readonly answered: readonly string[]
}

export const answerChat = defineUseCase({
  name: 'answer-chat',
  streams: ({ projectId, conversationKey }: Answer) => [conversationStream(conversationKey), projectStream(projectId)],
  run: (tx, input, context): Promise<Answered> =>
    once(tx, { ...input, operation: 'answer-chat' }, context.now, () => answer(tx, input, context)),
})

async function answer(tx: Tx, input: Answer, context: Context): Promise<Answered> {
  const { conversationKey: key, agentSessionId, agentId, projectId } = input
  const agentSession = await liveAgentSession(tx, input)
  await tx.write(updateActivity, changesOf(afterActivity(context.now, agentSession, 'answer')))
  const held = answeredBy(await heldBy(tx, { agentSessionId, agentId, projectId }, key), agentSessionId)
  const said = await say(tx, input, held.length > 0, context)
  for (const { seq } of held) await tx.write(deleteUnread, { agentId, projectId, key, seq })
  if (held.length > 0) {
    const data = { agentId, seqs: held.map(({ seq }) => seq), answerSeq: said?.seq ?? null }
    tx.append(conversationStream(key), { type: 'messages-read', data })
  }
  await closeAfterTurn(tx, key, context.now)
  return { messageId: said?.id ?? null, seq: said?.seq ?? null, answered: held.map(({ id }) => id) }
}

async function say(tx: Tx, input: Answer, wasAsked: boolean, context: Context): Promise<Message | undefined> {
  const { conversationKey: key, agentId, projectId, content, spoken } = input
  const toAgentId = otherAgent(key, agentId)
  // SE3: no agent writes in what is not its own. On a channel it answers what it was asked there, and says nothing unasked.
  const isOwn = key === webKey(projectId, agentId) || (wasAsked && parseChannelKey(key) !== undefined)
  if (toAgentId === undefined && !isOwn) throw noSuchConversation(key)
  if (content === '') return undefined
  const clientId = spoken?.turnId
  if (toAgentId !== undefined)
    return tellAgent(tx, input, { toAgentId, content, clientId, asksNobody: spoken?.asksNobody }, context)
  const { row } = await openConversation(tx, key, context.now)
  const message = { senderId: agentId, receiverId: null, role: 'assistant', content, clientId } as const
  return appendMessage(tx, row, message, context, { readers: [] })
}
