/** What became of a note's file (DC4): written up to a number of its stream, or why not. Nothing changes when that is known already. */
import type { Day } from '../domain/conversation/logical-day.ts'
import { home, noteStream } from '../domain/stream/name.ts'
import { noteOf, putNote, selectNote } from '../store/queries/notes.ts'
import { defineUseCase } from '../store/store.ts'

const maxProblemChars = 500

type Marked = { readonly day: Day } & ({ readonly writtenSeq: number } | { readonly problem: string })

export const markNote = defineUseCase({
  name: 'mark-note',
  streams: ({ day }: Marked) => [noteStream(day), home],
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
