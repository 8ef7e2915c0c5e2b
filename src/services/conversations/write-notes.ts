/** Records which chapters a daily note consists of, and that its file was written (DC3). */
import type { Day } from '../../domain/conversations/chapter.ts'
import { home, noteStream } from '../../domain/stream-name.ts'
import {
  deleteRemovedChapters,
  noteOf,
  numberChapters,
  putNote,
  selectNote,
  selectNotNoted,
  totalsOf,
} from '../../store/conversations/notes.ts'
import { defineUseCase } from '../../store/store.ts'

/** Chapters in one commit, so as not to delay new messages (DC8). */
const maxAddedChapters = 500

/**
 * Adds newly closed chapters to the note of their day and removes those of deleted conversations (DC3). The note's new number
 * tells the writer that the file is outdated. Idempotent.
 */
export const addChaptersToNote = defineUseCase({
  name: 'add-chapters-to-note',
  streams: ({ day }: { day: Day }) => [noteStream(day), home],
  run: async (tx, { day }, { now }): Promise<{ more: boolean }> => {
    const few = { day, limit: maxAddedChapters }
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
    return { more: found.length === maxAddedChapters }
  },
})

const maxProblemChars = 500

type NoteResult = { readonly day: Day } & ({ readonly writtenSeq: number } | { readonly problem: string })

/** Records that a note's file was written up to a number, or why it was not (DC4). */
export const markNoteWritten = defineUseCase({
  name: 'mark-note-written',
  streams: ({ day }: NoteResult) => [noteStream(day), home],
  run: async (tx, { day, ...what }, { now }): Promise<void> => {
    const before = await tx.first(selectNote, { day })
    if (!before) return
    const change =
      'problem' in what
        ? { problem: what.problem.slice(0, maxProblemChars).toWellFormed() }
        : { written_seq: Math.max(before.written_seq, what.writtenSeq), problem: null }
    const row = { ...before, ...change }
    if (row.written_seq === before.written_seq && row.problem === before.problem) return
    await tx.write(putNote, { ...row, updated_at: now })
    tx.append(home, { type: 'note-changed', data: { note: noteOf({ ...row, updated_at: now }) } })
  },
})
