/**
 * Adds turns and moves them from one state to another: no other file writes the state of a turn.
 * The domain decides; its diagram has every move (domain/turns/lifecycle.ts).
 */
import type { Instant } from '../../domain/instant.ts'
import { textOf } from '../../domain/notices.ts'
import { conversationStream, userSessionStream } from '../../domain/stream-name.ts'
import { decideTurn, type TurnDecision, type TurnEvent } from '../../domain/turns/lifecycle.ts'
import { touchTurn } from '../../store/conversations/conversations.ts'
import { noticeColumn } from '../../store/fields.ts'
import type { NewRow } from '../../store/rows.ts'
import type { Tx } from '../../store/store.ts'
import { type TurnRow, turnLife } from '../../store/turns/turns.ts'
import { tellSession } from '../tell-session.ts'
import { keepThreadDay } from './thread-day.ts'

/** A turn is decided under the lock of its conversation; in a role, of its user session. */
export const lockTurn = (tx: Tx, { user_session_id: id, conversation_key: key }: TurnRow): void =>
  tx.lock(id === null ? conversationStream(key) : userSessionStream(id))

/** Adds a turn, which waits. */
export async function addTurn(tx: Tx, row: NewRow<'turns'>): Promise<void> {
  await tx.insert('turns', { ...row, state: 'queued' })
  await tx.write(touchTurn, { key: row.conversation_key, at: row.created_at })
  if (row.about === 'chat') await keepThreadDay(tx, row)
  // The message tells of others, or the move that they follow from.
  if (row.about === 'prompt') await tellSession(tx, row.conversation_key)
}

/** Adds a turn that was over before it came here (IM5). */
export const addPastTurn = (tx: Tx, row: TurnRow): Promise<void> => tx.insert('turns', row)

/** Writes a past turn anew, of which more has become known. */
export const replacePastTurn = (tx: Tx, row: TurnRow): Promise<void> => tx.update('turns', row)

export type TurnMove = Extract<TurnDecision, { outcome: 'changed' }>

/**
 * Moves a turn, and writes other columns of its row in the same step. `besides` as a function also
 * appends the event of the move, whose number it answers. Undefined when the event changes nothing.
 */
export async function moveTurn(
  tx: Tx,
  row: TurnRow,
  event: TurnEvent,
  now: Instant,
  besides: Partial<TurnRow> | ((move: TurnMove) => Partial<TurnRow>) = {},
): Promise<TurnMove | undefined> {
  lockTurn(tx, row)
  const decision = decideTurn(turnLife(row), event)
  if (decision.outcome !== 'changed') return undefined
  const { state, stopReason, error } = decision
  const columns = typeof besides === 'function' ? besides(decision) : besides
  await tx.update('turns', {
    ...row,
    ...columns,
    state,
    stop_reason: stopReason,
    error: error && textOf(error),
    notice: noticeColumn(error),
    ...timesOf(state, now),
  })
  await tellSession(tx, row.conversation_key)
  return decision
}

function timesOf(state: TurnMove['state'], now: Instant): Partial<TurnRow> {
  if (state === 'queued') return { started_at: null }
  return state === 'running' ? { started_at: now } : { ended_at: now }
}
