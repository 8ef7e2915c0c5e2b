/** Days with closed chapters that their note does not know of yet, the oldest first. */
import type { Day } from '../domain/conversation/logical-day.ts'
import { selectDaysToNote } from '../store/queries/notes.ts'
import { defineQuery } from '../store/store.ts'

const daysAtOnce = 100

export const findDaysToNote = defineQuery({
  name: 'find-days-to-note',
  withoutSnapshot: true,
  run: async (reader): Promise<Day[]> => (await reader.all(selectDaysToNote, { limit: daysAtOnce })).map(({ day }) => day),
})
