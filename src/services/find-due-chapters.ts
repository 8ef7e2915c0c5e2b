/** Conversations whose day is over (DC2), the longest due first, behind the last one seen. Looks at none that is not due. */
import { type DueChapter, dueChapters, turnRunsIn } from '../store/queries/chapters.ts'
import { defineQuery } from '../store/store.ts'

/** Closed in one commit: few enough that a message which comes meanwhile is not kept waiting (DC8). */
const closedAtOnce = 50

export interface DueChapters {
  /** None of those in which a turn runs. */
  readonly keys: readonly string[]
  /** Where to go on; null when these were all. */
  readonly last: DueChapter | null
}

export const findDueChapters = defineQuery({
  name: 'find-due-chapters',
  run: async (reader, { after }: { after: DueChapter }, { now }): Promise<DueChapters> => {
    const due = await dueChapters(reader, now, after, closedAtOnce)
    const keys: string[] = []
    for (const { key } of due) if (!(await turnRunsIn(reader, key))) keys.push(key)
    return { keys, last: due.length < closedAtOnce ? null : (due.at(-1) ?? null) }
  },
})
