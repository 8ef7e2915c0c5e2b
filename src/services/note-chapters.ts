/**
 * Tells the note of a day which chapters it is made of (DC3): those that were closed since get its next number, those of deleted
 * conversations go. From then on whoever writes files knows that the note's is behind. Harmless when done twice.
 */
import type { Day } from '../domain/conversation/logical-day.ts'
import { home, noteStream } from '../domain/stream/name.ts'
import {
  deleteRemovedChapters,
  noteOf,
  numberChapters,
  putNote,
  selectNote,
  selectNotNoted,
  totalsOf,
} from '../store/queries/notes.ts'
import { defineUseCase } from '../store/store.ts'

/** In one commit: a live message is not kept waiting (DC8). */
const notedAtOnce = 500

export const noteChapters = defineUseCase({
  name: 'note-chapters',
  streams: ({ day }: { day: Day }) => [noteStream(day), home],
  run: async (tx, { day }, { now }): Promise<{ more: boolean }> => {
    const few = { day, limit: notedAtOnce }
    const found = await tx.all(selectNotNoted, few)
    if (found.length === 0) return { more: false }
    const seq = tx.append(noteStream(day), { type: 'chapters-noted', data: { day } })
    await tx.write(numberChapters, { ...few, seq })
    await tx.write(deleteRemovedChapters, few)
    const before = await tx.first(selectNote, { day })
    const kept = { written_seq: before?.written_seq ?? 0, problem: before?.problem ?? null }
    const row = { day, ...(await totalsOf(tx, day)), seq, ...kept, updated_at: now }
    await tx.write(putNote, row)
    tx.append(home, { type: 'note-changed', data: { note: noteOf(row) } })
    return { more: found.length === notedAtOnce }
  },
})
