/** What came of a turn, as it was kept. */
import type { Reader } from '../../store/store.ts'
import { selectTurnItems } from '../../store/turns/turn-items.ts'
import { withDecisions } from './turn-decisions.ts'

const maxItems = 5000

export const outputOf = async (reader: Reader, turnId: string) =>
  (await reader.all(selectTurnItems, { turnId, limit: maxItems })).map(({ kind, body }) => ({
    kind,
    ...JSON.parse(body),
  }))

/** With what was asked in it and decided. */
export const itemsOf = async (reader: Reader, turnId: string) =>
  withDecisions(reader, turnId, await outputOf(reader, turnId))
