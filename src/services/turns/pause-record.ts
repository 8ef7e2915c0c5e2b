/**
 * Pauses what waits in a session when its turn was stopped or has failed (SN20), so that nobody's
 * next message runs into something a person has not looked at. Other conversations go on at once.
 */
import { conversationStream } from '../../domain/stream-name.ts'
import { identityOf } from '../../store/conversations/conversation-identity.ts'
import type { Tx } from '../../store/store.ts'
import { selectOpenIn, type TurnRow } from '../../store/turns/turns.ts'
import { tellSession } from '../tell-session.ts'
import type { EndedTurn } from './record-end.ts'

/** Queued turns of one conversation that are looked at: one, and what is repeated. */
const maxQueued = 100

const queuedIn = async (tx: Tx, key: string): Promise<TurnRow[]> => {
  tx.lock(conversationStream(key))
  const open = await tx.all(selectOpenIn, { key, limit: maxQueued })
  return open.filter((turn) => turn.state === 'queued' && turn.not_before === null)
}

/** Pauses what waits behind a turn that has ended, if it is of a session and ended so. */
export async function pauseQueue(tx: Tx, turn: TurnRow, ended: EndedTurn): Promise<void> {
  const paused = reasonToPause(turn, ended)
  if (!paused || turn.about !== 'chat') return
  const { conversation_key: key, cancel_by: by } = turn
  const { kind } = await identityOf(tx, key)
  if (kind !== 'session' && kind !== 'fork') return
  const waiting = await queuedIn(tx, key)
  if (waiting.length === 0) return
  for (const { id } of waiting) await tx.update('turns', { id, paused })
  tx.append(conversationStream(key), { type: 'queue-paused', data: { paused, by } })
  await tellSession(tx, key)
}

/** What met the vendor's limit is parked, and goes on as a person chose. */
function reasonToPause(turn: TurnRow, ended: EndedTurn): TurnRow['paused'] {
  if (ended.state === 'cancelled' && turn.cancel_by !== null) return 'stopped'
  return ended.state === 'failed' && ended.limitedUntil === undefined ? 'failed' : null
}

/** Lets what is paused in a conversation wait again. Returns whether anything was. */
export async function endPause(tx: Tx, key: string, by: string): Promise<boolean> {
  const paused = (await queuedIn(tx, key)).filter((turn) => turn.paused !== null)
  for (const { id } of paused) await tx.update('turns', { id, paused: null })
  if (paused.length === 0) return false
  tx.append(conversationStream(key), { type: 'queue-goes-on', data: { by } })
  await tellSession(tx, key)
  return true
}
