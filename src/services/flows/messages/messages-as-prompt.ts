/**
 * Makes the prompt of a chat's turn from its messages when it begins (CH12): what came since the
 * turn before goes together.
 */

import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { conversationStream } from '../../../domain/stream-name.ts'
import type { Message } from '../../../protocol/conversations/message.ts'
import {
  type AgentCaller,
  messagesOfTurn,
  splitUnread,
} from '../../../store/conversations/unread.ts'
import type { Context, Tx } from '../../../store/store.ts'
import { isPushed, newTurnRow, type TurnRow } from '../../../store/turns/turns.ts'
import { currentConversation } from '../../conversations/conversation-record.ts'
import { addTurn, moveTurn } from '../../turns/move-turn.ts'
import { promptFrom } from '../../turns/prompt-of-turn.ts'

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
  tellHandedOver(tx, { agentId: launch.agentId, agentSessionId }, messages)
  const content = await promptFrom(tx, turn, messages)
  const here = messages.filter((each) => each.conversationKey === key)
  return {
    turn: { ...taken, content: JSON.stringify(content) },
    promptSeqs: new Set(here.map(({ seq }) => seq)),
  }
}

/** Tells each conversation which of its messages an agent was given. */
export function tellHandedOver(
  tx: Tx,
  { agentId, agentSessionId }: Pick<AgentCaller, 'agentId' | 'agentSessionId'>,
  messages: readonly Message[],
): void {
  for (const [key, some] of Map.groupBy(messages, ({ conversationKey }) => conversationKey)) {
    const data = { agentId, agentSessionId, seqs: some.map(({ seq }) => seq) }
    tx.append(conversationStream(key), { type: 'messages-delivered', data })
  }
}
