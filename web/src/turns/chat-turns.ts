/**
 * The turns of a chat or task that run, or ended while the page looked, out of the stream
 * `turns:KEY` (CH14). Pure.
 */
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import type { TurnsState } from '../../../src/protocol/snapshot.ts'
import {
  afterTurnEvent,
  begunTurn,
  type Item,
  type ShownTurn,
  shownTurn,
  type TurnEventBody,
} from './turn-state.ts'

/** More than anybody watches end; earlier ones are read again. */
const mostKept = 200

/**
 * The known turns after a snapshot: those that run are replaced, those that were seen to end stay.
 */
export function turnsAfterSnapshot(
  known: readonly ShownTurn[],
  { running }: TurnsState,
): readonly ShownTurn[] {
  const over = known.filter(
    ({ state, messageId }) =>
      state !== 'running' && !running.some(({ turn }) => turn.messageId === messageId),
  )
  const shown = running.map(({ turn, items, permissions }) =>
    shownTurn({ ...turn, content: [] }, permissions, items as readonly Item[]),
  )
  return [...over, ...shown].slice(-mostKept)
}

export function turnsAfterEvent(
  known: readonly ShownTurn[],
  event: HoldfastEvent,
): readonly ShownTurn[] {
  if (!('data' in event)) return known
  if (event.type === 'agent:prompted') {
    const { messageId, by } = event.data
    if (known.some((turn) => turn.messageId === messageId)) return known
    return [...known, begunTurn({ messageId, by, content: [] }, event.at)].slice(-mostKept)
  }
  if (!isTurnEvent(event.type)) return known
  const body = { type: event.type, ...event.data } as unknown as TurnEventBody
  const changed = known.map((turn) => afterTurnEvent(turn, body, event.at))
  return changed.some((turn, index) => turn !== known[index]) ? changed : known
}

const turnEvent = /^(?:agent:(?:update|response)|(?:permission|question):(?:requested|resolved))$/
const isTurnEvent = (type: string): boolean => turnEvent.test(type)
