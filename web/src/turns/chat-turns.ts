/**
 * The turns of a chat or task that run, or ended while the page looked, out of the stream
 * `turns:KEY` (CH14). Pure.
 */
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import type { TurnsState } from '../../../src/protocol/snapshot.ts'
import { foldTurn, isTurnStreamEvent } from '../../../src/protocol/threads/fold-turn.ts'
import { begunTurn, shownTurn, type ThreadTurn } from '../../../src/protocol/threads/thread-turn.ts'
import type { Item } from '../../../src/protocol/threads/turn-items.ts'

/** More than anybody watches end; earlier ones are read again. */
const mostKept = 200

/**
 * The known turns after a snapshot: those that run are replaced, those that were seen to end stay.
 */
export function turnsAfterSnapshot(
  known: readonly ThreadTurn[],
  { running }: TurnsState,
): readonly ThreadTurn[] {
  const over = known.filter(
    ({ state, id }) => state !== 'running' && !running.some(({ turn }) => turn.messageId === id),
  )
  const shown = running.map(({ turn, items, permissions }) =>
    shownTurn({ ...turn, content: [] }, permissions, items as readonly Item[]),
  )
  return [...over, ...shown].slice(-mostKept)
}

export function turnsAfterEvent(
  known: readonly ThreadTurn[],
  event: HoldfastEvent,
): readonly ThreadTurn[] {
  if (!('data' in event)) return known
  if (event.type === 'agent:prompted') {
    const { messageId, by } = event.data
    if (known.some(({ id }) => id === messageId)) return known
    return [...known, begunTurn({ messageId, by, content: [] }, event.at)].slice(-mostKept)
  }
  if (!isTurnStreamEvent(event)) return known
  const changed = known.map((turn) => foldTurn(turn, event))
  return changed.some((turn, index) => turn !== known[index]) ? changed : known
}
