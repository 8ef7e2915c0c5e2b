/**
 * Folds the logged pieces of a turn into its items (protocol/threads), and keeps the whole output
 * of tool calls. Streaming costs one event row for each piece; the items are stored when the turn
 * ends.
 */

import type { StreamName } from '../../domain/stream-name.ts'
import { storable } from '../../protocol/text.ts'
import {
  foldTurn,
  isTurnStreamEvent,
  type TurnStreamEvent,
} from '../../protocol/threads/fold-turn.ts'
import { begunTurn, type ThreadTurn } from '../../protocol/threads/thread-turn.ts'
import { answerIn, type Item, textSinceTools } from '../../protocol/threads/turn-items.ts'
import { AgentUpdate } from '../../protocol/turns/agent-update.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  deleteOutputItems,
  firstOutputItem,
  outputKind,
  selectLastOutputItem,
  turnEventsAfter,
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

/** `unwritten`: events of the current transaction, which are not in the log yet. */
export async function readTurn(
  reader: Reader,
  logged: LoggedPieces,
  begun: ThreadTurn,
  unwritten: readonly TurnStreamEvent[] = [],
): Promise<ThreadTurn> {
  let turn = begun
  for await (const event of turnEventsAfter(reader, logged))
    if (isTurnStreamEvent(event) && isWhole(event)) turn = foldTurn(turn, event)
  for (const event of unwritten) turn = foldTurn(turn, event)
  return turn
}

/** A piece of an earlier build that is none any more changes nothing. */
const isWhole = (event: TurnStreamEvent): boolean =>
  event.type !== 'agent:update' || AgentUpdate.safeParse(event.data.update).success

export async function readTurnOutput(
  reader: Reader,
  logged: LoggedPieces,
  unwritten: readonly TurnStreamEvent[] = [],
): Promise<TurnOutput> {
  const begun = begunTurn({ messageId: logged.turnId, by: '', content: [] }, '')
  const { items, cut } = await readTurn(reader, logged, begun, unwritten)
  return {
    text: storable(answerIn(items)),
    sinceTools: storable(textSinceTools(items)),
    cut,
    items,
    tools: items.flatMap((item) => (item.kind === 'tool' ? [item.call.title] : [])),
  }
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
