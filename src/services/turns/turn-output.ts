/**
 * Folds the logged pieces of a turn into its items (protocol/threads), and keeps the whole output
 * of tool calls. Streaming costs one event row for each piece; the items are stored when the turn
 * ends.
 */

import type { StreamName } from '../../domain/stream-name.ts'
import { storable } from '../../protocol/text.ts'
import {
  answerIn,
  type Item,
  type KeptItems,
  noItems,
  textSinceTools,
  withUpdate,
} from '../../protocol/threads/turn-items.ts'
import { AgentUpdate } from '../../protocol/turns/agent-update.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  deleteOutputItems,
  firstOutputItem,
  outputKind,
  piecesAfter,
  selectLastOutputItem,
} from '../../store/turns/turn-items.ts'

export interface TurnOutput {
  /** The agent's text without thoughts and tool calls. */
  readonly text: string
  /** The text after the last tool call began. */
  readonly sinceTools: string
  readonly cut: boolean
  readonly items: readonly Item[]
  readonly tools: readonly string[]
}

export interface LoggedPieces {
  readonly stream: StreamName
  readonly turnId: string
  readonly startedSeq: number
}

/** `unwritten`: updates of the current transaction, which are not in the log yet. */
export async function readTurnOutput(
  reader: Reader,
  which: LoggedPieces,
  unwritten: readonly unknown[],
): Promise<TurnOutput> {
  let output = noItems
  for await (const update of piecesAfter(reader, which)) output = withPiece(output, update)
  for (const update of unwritten) output = withPiece(output, update)
  const { items, cut } = output
  return {
    text: storable(answerIn(items)),
    sinceTools: storable(textSinceTools(items)),
    cut,
    items,
    tools: items.flatMap((item) => (item.kind === 'tool' ? [item.call.title] : [])),
  }
}

/** A piece of an earlier build that is none any more changes nothing. */
function withPiece(output: KeptItems, piece: unknown): KeptItems {
  const { data: update } = AgentUpdate.safeParse(piece)
  return update ? withUpdate(output, update) : output
}

/**
 * AC6: keeps a piece of a tool call's whole output. Its first piece replaces the output kept
 * before.
 */
export async function keepOutput(
  tx: Tx,
  turnId: string,
  { toolCallId, part, text }: Extract<AgentUpdate, { kind: 'output' }>,
): Promise<void> {
  const kind = outputKind(toolCallId)
  if (part === 0) await tx.write(deleteOutputItems, { turnId, kind })
  const n = ((await tx.first(selectLastOutputItem, { turnId }))?.last ?? firstOutputItem - 1) + 1
  await tx.insert('turn_items', { turn_id: turnId, n, kind, body: JSON.stringify(text) })
}

/** Updates of the current transaction. They reach the log when it commits. */
const unwritten = new WeakMap<Tx, Map<string, unknown[]>>()

export function bufferUpdate(tx: Tx, turnId: string, update: unknown): void {
  const noted = unwritten.get(tx) ?? new Map<string, unknown[]>()
  unwritten.set(tx, noted)
  const updates = noted.get(turnId)
  if (updates) updates.push(update)
  else noted.set(turnId, [update])
}

export const unwrittenOf = (tx: Tx, turnId: string): readonly unknown[] =>
  unwritten.get(tx)?.get(turnId) ?? []
