/**
 * Handles what was asked in a turn whose process or agent session is gone. Its outcome is unknown.
 * Chat messages are queued again in a turn marked as a retry (NA7); after two losses in a row the
 * chat gets a message instead. Tasks and role prompts are not repeated automatically.
 */

import { systemId } from '../../../domain/access/caller.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import { conversationStream } from '../../../domain/stream-name.ts'
import { laneOf } from '../../../store/conversations/conversation-identity.ts'
import { messagesOfTurn, passUnread } from '../../../store/conversations/unread.ts'
import type { Context, Tx } from '../../../store/store.ts'
import { newTurnRow, type TurnRow } from '../../../store/turns/turns.ts'
import { conversationOfTurn } from '../../conversations/conversation-record.ts'
import { addTurn } from '../../turns/move-turn.ts'
import { tellReturned } from '../../turns/tell-in-turn.ts'
import { appendMessage } from '../messages/append-message.ts'
import { markMessagesRead } from '../messages/post-answer.ts'

interface LostTurn {
  /** Whether the conversation shows it. It does not when only an agent session has ended. */
  readonly isAnnounced: boolean
  /** Others ended the process, so the turn is not to blame. */
  readonly wasStopped: boolean
}

export async function requeueLostTurn(
  tx: Tx,
  turn: TurnRow,
  { isAnnounced, wasStopped }: LostTurn,
  context: Context,
): Promise<void> {
  const { random } = context
  if (turn.about !== 'chat') return
  const messages = await messagesOfTurn(tx, turn.id)
  tx.lock(...messages.map(({ conversationKey }) => conversationStream(conversationKey)))
  tellReturned(tx, turn, messages)
  if (isAnnounced && !wasStopped && (await wasLostBefore(tx, turn)))
    return postLossNotice(tx, turn, context)
  const { conversation_key, origin_key, project_id, asked_by, created_at } = turn
  const { agent_id, lane } = await whoGoesOn(tx, turn)
  const about = {
    conversation_key,
    origin_key,
    agent_id,
    project_id,
    lane,
    asked_by,
    created_at,
    about: 'chat' as const,
  }
  const content = messages.length === 0 ? turn.content : '[]'
  const again = newTurnRow({ ...about, id: random.uuid(), content, retry_of: turn.id })
  await addTurn(tx, again)
  await tx.write(passUnread, { from: turn.id, to: again.id, agentId: agent_id })
}

/** SN21: the agent that has the conversation now, if another agent goes on with it. */
async function whoGoesOn(
  tx: Tx,
  { conversation_key: key, origin_key, agent_id, lane }: TurnRow,
): Promise<Pick<TurnRow, 'agent_id' | 'lane'>> {
  const row = await tx.row('conversations', { key })
  const present = row?.agents == null || origin_key !== '' ? agent_id : (row.agent_id ?? agent_id)
  if (present === agent_id) return { agent_id, lane }
  return { agent_id: present, lane: await laneOf(tx, key, present) }
}

async function wasLostBefore(tx: Tx, { retry_of }: TurnRow): Promise<boolean> {
  const before = retry_of === null ? undefined : await tx.row('turns', { id: retry_of })
  // With a notice, its process was stopped.
  return before?.state === 'unknown' && before.notice === null
}

async function postLossNotice(tx: Tx, turn: TurnRow, context: Context): Promise<void> {
  const row = await conversationOfTurn(tx, turn.conversation_key, context.now)
  const { text: content, notice } = statusNotice('processGoneTwice')
  const message = {
    senderId: systemId,
    receiverId: null,
    role: 'assistant',
    content,
    notice,
  } as const
  const { seq } = await appendMessage(tx, row, message, context, { readers: [] })
  await markMessagesRead(tx, turn, seq, context)
}
