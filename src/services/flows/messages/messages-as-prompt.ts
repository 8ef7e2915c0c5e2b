/**
 * Makes the prompt of a chat's turn from its messages when it begins (CH12): what came since the
 * turn before goes together.
 */

import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { conversationStream } from '../../../domain/stream-name.ts'
import { promptOfMessages } from '../../../domain/turns/prompts.ts'
import type { Message } from '../../../protocol/conversations/message.ts'
import { attachmentsIn, type PromptPart } from '../../../protocol/turns/prompt.ts'
import { identityOf } from '../../../store/conversations/conversation-identity.ts'
import { messagesOfTurn, splitUnread } from '../../../store/conversations/unread.ts'
import type { Context, Tx } from '../../../store/store.ts'
import { isPushed, newTurnRow, type TurnRow } from '../../../store/turns/turns.ts'
import { currentConversation } from '../../conversations/conversation-record.ts'
import { senderOf, sendersOf } from '../../conversations/message-senders.ts'
import { addTurn, moveTurn } from '../../turns/move-turn.ts'
import { severalPeople } from '../../turns/primer-record.ts'
import { otherAgent } from './post-to-agent.ts'

interface MessagesPrompt {
  readonly turn: TurnRow
  readonly promptSeqs: ReadonlySet<number>
}

interface Receiver {
  readonly launch: Launch
  readonly agentSessionId: string
}

/** Undefined when something else is to begin: the turn is for another context now, or empty. */
export async function messagesAsPrompt(
  tx: Tx,
  { id, conversation_key: key }: TurnRow,
  { launch, agentSessionId }: Receiver,
  { now, random }: Context,
): Promise<MessagesPrompt | undefined> {
  tx.lock(conversationStream(key))
  // DC2: a chapter that is due is closed first. That ends the contexts which belong to it.
  const before = await tx.row('conversations', { key })
  if (before && (await currentConversation(tx, key, now)).generation !== before.generation)
    return undefined
  const turn = await tx.row('turns', { id })
  if (turn?.state !== 'queued') return undefined
  await splitUnread(tx, id, async () => {
    const rest = newTurnRow({ ...turn, id: random.uuid(), created_at: now })
    await addTurn(tx, rest)
    return rest.id
  })
  const messages = await messagesOfTurn(tx, id)
  // All its messages were withdrawn meanwhile.
  if (messages.length === 0 && !isPushed(turn)) {
    await moveTurn(tx, turn, { type: 'withdraw' }, now)
    return undefined
  }
  const taken = { ...turn, agent_session_id: agentSessionId }
  if (messages.length === 0) return { turn: taken, promptSeqs: new Set() }
  const content = await promptFrom(tx, key, messages, { launch, agentSessionId })
  const here = messages.filter((each) => each.conversationKey === key)
  return {
    turn: { ...taken, content: JSON.stringify(content) },
    promptSeqs: new Set(here.map(({ seq }) => seq)),
  }
}

async function promptFrom(
  tx: Tx,
  key: string,
  messages: readonly Message[],
  { launch: { agentId }, agentSessionId }: Receiver,
): Promise<PromptPart[]> {
  const fromAgent = new Map<string, string | undefined>()
  const byConversation = Map.groupBy(messages, ({ conversationKey }) => conversationKey)
  for (const [conversationKey, some] of byConversation) {
    const data = { agentId, agentSessionId, seqs: some.map(({ seq }) => seq) }
    tx.append(conversationStream(conversationKey), { type: 'messages-delivered', data })
    fromAgent.set(conversationKey, otherAgent(await identityOf(tx, conversationKey), agentId))
  }
  const { nameOf } = await sendersOf(tx, messages.map(senderOf))
  const texts = messages.map((message) => ({
    content: message.content,
    sender: nameOf(senderOf(message)),
    fromAgent: fromAgent.get(message.conversationKey),
    isAnswer: message.conversationKey !== key,
    handoffId: message.relatedHandoffId,
  }))
  return [
    { type: 'text', text: promptOfMessages(texts, await severalPeople(tx, key)) },
    ...messages.flatMap(({ media }) => attachmentsIn(media)),
  ]
}
