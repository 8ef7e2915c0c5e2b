/** Closes a conversation's chapter if it is due, now or at a given moment (DC2). Waits while a turn runs. */

import { type CutoverRule, type Day, endOf, logicalDay } from '../../domain/conversations/chapter.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream, home, noteStream } from '../../domain/stream-name.ts'
import {
  cutoverRule,
  endChapters,
  keepChaptersOpen,
  openChapterOf,
  type RuleSource,
  selectLastChapter,
  setRule,
} from '../../store/conversations/chapters.ts'
import { deleteRemovedChapters, noteOf, numberChapters, selectNotNoted, totalsOf } from '../../store/conversations/notes.ts'
import { defineUseCase } from '../../store/store.ts'
import { closeDueChapter, existingConversation, streamOfKey } from './conversation-record.ts'

export interface CutOver {
  readonly cut: boolean
  /** The day of the closed or open chapter. Null when there are no messages since the last one. */
  readonly day: string | null
}

export const cutOverConversation = defineUseCase('cut-over-conversation', {
  streams: ({ key }: { key: string; at?: Instant | undefined }) => [streamOfKey(key)],
  run: async (tx, { key, at }, { now }): Promise<CutOver> => {
    const row = await existingConversation(tx, key)
    const cut = row.chapter_day !== null && (await closeDueChapter(tx, row, now, at)).chapter_day === null
    // An import may have closed an earlier day's chapter.
    const day = cut ? (await tx.first(selectLastChapter, { key }))?.day : openChapterOf(row)?.day
    return { cut, day: day ?? null }
  },
})

/** Closes the due chapters of several conversations in one commit (DC2). Idempotent. One with a running turn stays open. */
export const closeChapters = defineUseCase('close-chapters', {
  streams: ({ keys }: { keys: readonly string[] }) => keys.map(conversationStream),
  run: async (tx, { keys }, { now }): Promise<{ closed: number }> => {
    let closed = 0
    for (const key of keys) {
      const row = await tx.row('conversations', { key })
      if (row && row.chapter_day !== null && (await closeDueChapter(tx, row, now)).chapter_day === null) closed++
    }
    return { closed }
  },
})

type Input = Partial<CutoverRule> & { readonly source: RuleSource }

/**
 * Sets when days begin (DC1). Open chapters keep their end; later ones follow the new rule. Switching cutover off removes the
 * end of open chapters; switching it on ends them today.
 */
export const setCutoverRule = defineUseCase('set-cutover-rule', {
  streams: () => [],
  run: async (tx, { source, ...change }: Input, { now }): Promise<CutoverRule & { source: RuleSource }> => {
    const before = await cutoverRule(tx)
    if (source === 'chosen' && before.source === 'configuration')
      throw new Refusal('wrong_state', refusalText('cutoverConfigured'), { source: before.source })
    const rule = { hour: change.hour === undefined ? before.hour : change.hour, timezone: change.timezone ?? before.timezone }
    await setRule(tx, rule, source)
    if (rule.hour === null) await tx.write(keepChaptersOpen, {})
    else if (before.hour === null) await tx.write(endChapters, { dueAt: endOf(rule, logicalDay(rule, now)) })
    return { ...rule, source }
  },
})

// Records which chapters a daily note consists of, and that its file was written (DC3).

/** Chapters in one commit, so as not to delay new messages (DC8). */
const maxAddedChapters = 500

/**
 * Adds newly closed chapters to the note of their day and removes those of deleted conversations (DC3). The note's new number
 * tells the writer that the file is outdated. Idempotent.
 */
export const addChaptersToNote = defineUseCase('add-chapters-to-note', {
  streams: ({ day }: { day: Day }) => [noteStream(day), home],
  run: async (tx, { day }, { now }): Promise<{ more: boolean }> => {
    const few = { day, limit: maxAddedChapters }
    const found = await tx.all(selectNotNoted, few)
    if (found.length === 0) return { more: false }
    const seq = tx.append(noteStream(day), { type: 'chapters-noted', data: { day } })
    await tx.write(numberChapters, { ...few, seq })
    await tx.write(deleteRemovedChapters, few)
    const before = await tx.row('notes', { day })
    const kept = { written_seq: before?.written_seq ?? 0, problem: before?.problem ?? null }
    const row = { day, ...(await totalsOf(tx, day)), seq, ...kept, updated_at: now }
    await tx.put('notes', row)
    tx.append(home, { type: 'note-changed', data: { note: noteOf(row) } })
    return { more: found.length === maxAddedChapters }
  },
})

const maxProblemChars = 500

type NoteResult = { readonly day: Day } & ({ readonly writtenSeq: number } | { readonly problem: string })

/** Records that a note's file was written up to a number, or why it was not (DC4). */
export const markNoteWritten = defineUseCase('mark-note-written', {
  streams: ({ day }: NoteResult) => [noteStream(day), home],
  run: async (tx, { day, ...what }, { now }): Promise<void> => {
    const before = await tx.row('notes', { day })
    if (!before) return
    const change =
      'problem' in what
        ? { problem: what.problem.slice(0, maxProblemChars).toWellFormed() }
        : { written_seq: Math.max(before.written_seq, what.writtenSeq), problem: null }
    const row = { ...before, ...change }
    if (row.written_seq === before.written_seq && row.problem === before.problem) return
    await tx.put('notes', { ...row, updated_at: now })
    tx.append(home, { type: 'note-changed', data: { note: noteOf({ ...row, updated_at: now }) } })
  },
})
