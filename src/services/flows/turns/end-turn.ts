/**
 * Ends turns: those of agents that are prompted, as their coordinator tells, and of agents that
 * pull, with their answer; lost ones, and those that are stopped or withdrawn. There is no other
 * way. What a turn was for says what becomes of its answer (settle-turn.ts); the messages of a lost
 * one are queued again.
 */

import { Refusal } from '../../../domain/errors.ts'
import type { Message } from '../../../protocol/conversations/message.ts'
import type { Context, Tx } from '../../../store/store.ts'
import { isPushed, type TurnRow } from '../../../store/turns/turns.ts'
import type { ReportedEvent } from '../../turns/interpret-end.ts'
import { lockTurn } from '../../turns/move-turn.ts'
import { pauseQueue } from '../../turns/pause-record.ts'
import { type EndedTurn, type EndOptions, recordEnd } from '../../turns/record-end.ts'
import { withdrawPermissions } from '../approvals/decide-request.ts'
import { markMessagesRead } from '../messages/post-answer.ts'
import { requeueLostTurn } from './requeue-lost-turn.ts'
import { settleTurn } from './settle-turn.ts'

interface TurnOver {
  /** Undefined when the turn was over already. */
  readonly ended?: EndedTurn | undefined
  /** What was posted in a chat. */
  readonly message?: Message | undefined
  /** The messages that are read now. */
  readonly read: readonly Message[]
}

export async function endTurn(
  tx: Tx,
  turn: TurnRow,
  event: ReportedEvent,
  ending: EndOptions,
  context: Context,
): Promise<TurnOver> {
  lockTurn(tx, turn)
  const hasRun = turn.state === 'running'
  if (hasRun && isPushed(turn)) await withdrawPermissions(tx, turn.id, context.now)
  const ended = await recordEnd(tx, turn, event, ending, context)
  if (!ended) return { read: [] }
  if (event.type === 'stop') return { ended, read: await markMessagesRead(tx, turn, null, context) }
  if (!hasRun) return { ended, read: [] }
  if (event.type === 'agent-gone') {
    const isAnnounced = ending.isAnnounced ?? true
    await requeueLostTurn(tx, turn, { isAnnounced, wasStopped: event.why !== undefined }, context)
    return { ended, read: [] }
  }
  const settled = await settle(tx, turn, { ended, isReported: event.type === 'ended' }, context)
  await pauseQueue(tx, turn, ended)
  return { ended, ...settled }
}

interface Over {
  readonly ended: EndedTurn
  /** A coordinator told it. */
  readonly isReported: boolean
}

async function settle(
  tx: Tx,
  turn: TurnRow,
  { ended, isReported }: Over,
  context: Context,
): Promise<Omit<TurnOver, 'ended'>> {
  if (!isReported) return settleTurn(tx, turn, ended, context)
  // RE9: a refused fact is skipped, so that the coordinator's later facts are still applied.
  try {
    return await settleTurn(tx, turn, ended, context)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'busy') throw error
    return { read: [] }
  }
}
