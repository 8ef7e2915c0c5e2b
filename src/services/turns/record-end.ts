/**
 * Records that a turn is over: what it comes to is found out from what was reported and said, and
 * written with its text, its items and the event that tells it. What becomes of the answer is
 * decided in the flow (flows/turns/end-turn.ts).
 */

import type { Instant } from '../../domain/instant.ts'
import { type Detail, noticeField, textOf } from '../../domain/notices.ts'
import { type TurnState, withdrawn } from '../../domain/turns/lifecycle.ts'
import type { TurnUsage } from '../../protocol/turns/agent-update.ts'
import { deleteEventsThrough, selectPosition } from '../../store/log/event-log.ts'
import type { Context, Tx } from '../../store/store.ts'
import {
  isOfRole,
  relayRole,
  selectRunningIn,
  type TurnRow,
  turnStream,
} from '../../store/turns/turns.ts'
import { interpretEnd, type ReportedEvent } from './interpret-end.ts'
import { lockTurn, moveTurn, type TurnMove } from './move-turn.ts'
import { unwrittenOf } from './tell-in-turn.ts'
import { storedItem } from './turn-decisions.ts'
import { readTurnOutput } from './turn-output.ts'
import { usageOfTurn } from './turn-usage.ts'

export interface EndOptions {
  readonly requestId?: string | undefined
  /** Why the turn never ran, or why its outcome is unknown. */
  readonly reason?: string
  /** What the agent says that the turn used. */
  readonly usage?: TurnUsage | null | undefined
  /** The sequence number of the event that already announced the end. */
  readonly announcedSeq?: number
  /** What a pulling agent answered. */
  readonly answer?: string
  /** Whether the turn's stream tells it; not when only an agent session has ended. */
  readonly isAnnounced?: boolean
}

/**
 * The outcome of a turn. `limitedUntil` is set when the agent reported its vendor's limit (AG6).
 */
export interface EndedTurn {
  readonly state: TurnState
  readonly stopReason: string | null
  readonly error: Detail | null
  readonly text: string
  readonly tools: readonly string[]
  readonly limitedUntil: Instant | undefined
}

/** Returns undefined when the event changes nothing. */
export async function recordEnd(
  tx: Tx,
  row: TurnRow,
  event: ReportedEvent,
  ending: EndOptions,
  context: Context,
): Promise<EndedTurn | undefined> {
  lockTurn(tx, row)
  if (row.state === 'queued') return recordNeverRan(tx, row, event, ending, context.now)
  if (row.state !== 'running') return undefined
  // What a pulling agent did was not streamed, and no process is stopped in its turn's stream.
  if (event.type === 'answer' || event.type === 'stop' || ending.isAnnounced === false)
    return recordQuietly(tx, row, event, ending.answer ?? row.answer, context.now)
  const pieces = { stream: turnStream(row), turnId: row.id, startedSeq: row.started_seq ?? 0 }
  const newest = unwrittenOf(tx, row.id)
  const came = await readTurnOutput(tx, pieces, newest)
  const { text, applied, limitedUntil } = await interpretEnd(
    tx,
    row,
    { which: pieces, unwritten: newest, came, usage: ending.usage ?? null },
    event,
    context,
  )
  const { cut } = came
  const { usage } = await usageOfTurn(tx, row.id, ending.usage ?? null)
  const announce = ({ state, stopReason, error }: TurnMove): number => {
    const data = {
      role: relayRole(row),
      messageId: row.id,
      content: text,
      cut,
      stopReason: ending.reason ?? stopReason ?? state,
      error: error && textOf(error),
      ...noticeField(error),
      usage,
      limitedUntil,
      requestId: row.cancel_request_id ?? undefined,
    }
    return tx.append(turnStream(row), { type: 'agent:response', data })
  }
  const moved = await moveTurn(tx, row, applied, context.now, (move) => ({
    answer: text,
    cut: cut ? 1 : 0,
    ended_seq: ending.announcedSeq ?? announce(move),
    usage: ending.usage ? JSON.stringify(ending.usage) : row.usage,
  }))
  if (!moved) return undefined
  for (const [n, item] of came.items.entries()) {
    const { kind, ...body } = storedItem(item)
    await tx.insert('turn_items', { turn_id: row.id, n, kind, body: JSON.stringify(body) })
  }
  if (!isOfRole(row)) await trimPieces(tx, row)
  return endedAs(moved, { text, tools: came.tools, limitedUntil })
}

const endedAs = (
  { state, stopReason, error }: TurnMove,
  output: Partial<Pick<EndedTurn, 'text' | 'tools' | 'limitedUntil'>> = {},
): EndedTurn => ({
  state,
  stopReason,
  error,
  text: '',
  tools: [],
  limitedUntil: undefined,
  ...output,
})

async function recordNeverRan(
  tx: Tx,
  row: TurnRow,
  event: ReportedEvent,
  ending: EndOptions,
  now: Instant,
): Promise<EndedTurn | undefined> {
  if (event.type === 'ended') return undefined
  const reason = ending.reason ?? withdrawn
  const data = { role: relayRole(row), messageId: row.id, reason, requestId: ending.requestId }
  const moved = await moveTurn(tx, row, event, now, () => ({
    ended_seq: isOfRole(row) ? tx.append(turnStream(row), { type: 'agent:withdrawn', data }) : null,
  }))
  return moved && endedAs(moved)
}

async function recordQuietly(
  tx: Tx,
  row: TurnRow,
  event: ReportedEvent,
  answer: string,
  now: Instant,
): Promise<EndedTurn | undefined> {
  if (event.type === 'ended') return undefined
  const moved = await moveTurn(tx, row, event, now, { answer })
  return moved && endedAs(moved, { text: answer })
}

/**
 * Deletes the logged pieces of an ended chat turn, whose text is now a message. Pieces of other
 * running turns stay.
 */
async function trimPieces(tx: Tx, row: TurnRow): Promise<void> {
  const name = turnStream(row)
  const others = (await tx.all(selectRunningIn, { key: row.conversation_key })).filter(
    ({ id }) => id !== row.id,
  )
  const head = (await tx.first(selectPosition, { name }))?.head ?? 0
  const through = Math.min(head, ...others.map(({ started_seq }) => (started_seq ?? 1) - 1))
  if (through <= 0) return
  await tx.write(deleteEventsThrough, { stream: name, seq: through })
  await tx.update('streams', { name, floor: through })
}
