/**
 * Moves a message that its agent was not given yet before another one, or lets it be answered next
 * (CH18). What waits together is told together, in this order.
 */
import { Refusal } from '../../../domain/errors.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { conversationStream, projectStream } from '../../../domain/stream-name.ts'
import { selectUnreadMessage, waitingInOrder } from '../../../store/conversations/unread.ts'
import { defineUseCase, type Tx } from '../../../store/store.ts'
import type { TurnRow } from '../../../store/turns/turns.ts'
import { existingConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { lockTurn } from '../../turns/move-turn.ts'
import { endPause } from '../../turns/pause-record.ts'
import { turnOfMessage } from '../../turns/turn-of-message.ts'
import { beginElsewhere } from '../turns/begin-turn.ts'

interface Move {
  readonly key: string
  readonly seq: number
  readonly by: string
  /** `now`: the first, also of what is paused. A number: before that message; null: the last. */
  readonly to: 'now' | number | null
}

export const moveMessage = defineUseCase('move-message', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Move) => [streamOfKey(key)],
  run: async (tx, { key, seq, by, to }, context): Promise<{ seqs: number[] }> => {
    const { project_id: projectId } = await existingConversation(tx, key)
    const turn = await waitingTurn(tx, key, seq)
    lockTurn(tx, turn)
    if (typeof to === 'number' && (await waitingTurn(tx, key, to)).id !== turn.id)
      throw notTogether(seq, to)
    const seqs = await putInOrder(tx, turn, { key, seq, to })
    tx.append(conversationStream(key), { type: 'messages-ordered', data: { seqs, by } })
    if (to !== 'now' || projectId === null) return { seqs }
    tx.lock(projectStream(projectId))
    if (await endPause(tx, key, by)) await beginElsewhere(tx, projectId, context)
    return { seqs }
  },
})

/** The turn of a message that nobody was told: one that is repeated or parked has been. */
async function waitingTurn(tx: Tx, key: string, seq: number): Promise<TurnRow> {
  const { turn, state } = await turnOfMessage(tx, key, seq)
  if (turn?.state === 'queued' && turn.retry_of === null && turn.not_before === null) return turn
  throw new Refusal('wrong_state', refusalText('messageGiven', { id: String(seq) }), { state })
}

const notTogether = (seq: number, before: number): Refusal =>
  new Refusal(
    'wrong_state',
    refusalText('messagesApart', { id: String(seq), before: String(before) }),
    { state: 'queued' },
  )

/** Returns what waits of the conversation, in the new order. */
async function putInOrder(
  tx: Tx,
  turn: TurnRow,
  { key, seq, to }: Pick<Move, 'key' | 'seq' | 'to'>,
): Promise<number[]> {
  const isHere = (each: { conversation_key: string }) => each.conversation_key === key
  const own = await tx.first(selectUnreadMessage, { conversation_key: key, seq })
  const waiting = await waitingInOrder(tx, turn.id)
  if (!own) throw new Error(`The message ${seq} of ${key} does not wait`)
  const ordered = to === seq ? waiting : moved(waiting, own, key, to)
  for (const [index, each] of ordered.entries()) {
    const { agent_id, project_id, conversation_key } = each
    const messageKey = { agent_id, project_id, conversation_key, seq: each.seq }
    if (each.moved_to !== index)
      await tx.update('unread_messages', { ...messageKey, moved_to: index })
  }
  return ordered.filter(isHere).map((each) => each.seq)
}

type Waiting = Awaited<ReturnType<typeof waitingInOrder>>[number]

function moved(waiting: readonly Waiting[], own: Waiting, key: string, to: Move['to']): Waiting[] {
  const isAt = (seq: number) => (each: Waiting) => each.conversation_key === key && each.seq === seq
  const others = waiting.filter((each) => !isAt(own.seq)(each))
  if (to === 'now') return [own, ...others]
  if (to === null) return [...others, own]
  const at = others.findIndex(isAt(to))
  if (at === -1) throw notTogether(own.seq, to)
  return others.toSpliced(at, 0, own)
}
