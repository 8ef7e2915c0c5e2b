/** Cuts over one conversation if its day is over, now or at the moment that is asked about (DC2). With a turn in it, it waits. */
import type { Instant } from '../domain/instant.ts'
import { openChapterOf, selectLastChapter } from '../store/queries/chapters.ts'
import { defineUseCase } from '../store/store.ts'
import { withoutDueChapter } from './chapter-record.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

interface AskedCutover {
  readonly key: string
  readonly at?: Instant | undefined
}

export interface CutOver {
  readonly cut: boolean
  /** The day of the chapter, closed or still open; null when nothing was said since the last. */
  readonly day: string | null
}

export const cutOverConversation = defineUseCase({
  name: 'cut-over-conversation',
  streams: ({ key }: AskedCutover) => [streamOfKey(key)],
  run: async (tx, { key, at }, { now }): Promise<CutOver> => {
    const row = await existingConversation(tx, key)
    const cut = row.chapter_day !== null && (await withoutDueChapter(tx, row, now, at)).chapter_day === null
    // What came in of an earlier day was that day's chapter before.
    const day = cut ? (await tx.first(selectLastChapter, { key }))?.day : openChapterOf(row)?.day
    return { cut, day: day ?? null }
  },
})
