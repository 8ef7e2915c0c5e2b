/** Closes a conversation's chapter if it is due, now or at a given moment (DC2). Waits while a turn runs. */

import { refusalText } from '../../domain/because.ts'
import { type CutoverRule, endOf, logicalDay } from '../../domain/conversations/chapter.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import {
  cutoverRule,
  endChapters,
  keepChaptersOpen,
  openChapterOf,
  type RuleSource,
  selectLastChapter,
  setRule,
} from '../../store/conversations/chapters.ts'
import { selectConversation } from '../../store/conversations/conversations.ts'
import { defineUseCase } from '../../store/store.ts'
import { closeDueChapter } from './chapter-record.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

interface CutoverInput {
  readonly key: string
  readonly at?: Instant | undefined
}

export interface CutOver {
  readonly cut: boolean
  /** The day of the closed or open chapter. Null when there are no messages since the last one. */
  readonly day: string | null
}

export const cutOverConversation = defineUseCase({
  name: 'cut-over-conversation',
  streams: ({ key }: CutoverInput) => [streamOfKey(key)],
  run: async (tx, { key, at }, { now }): Promise<CutOver> => {
    const row = await existingConversation(tx, key)
    const cut = row.chapter_day !== null && (await closeDueChapter(tx, row, now, at)).chapter_day === null
    // An import may have closed an earlier day's chapter.
    const day = cut ? (await tx.first(selectLastChapter, { key }))?.day : openChapterOf(row)?.day
    return { cut, day: day ?? null }
  },
})

/** Closes the due chapters of several conversations in one commit (DC2). Idempotent. One with a running turn stays open. */
export const closeChapters = defineUseCase({
  name: 'close-chapters',
  streams: ({ keys }: { keys: readonly string[] }) => keys.map(conversationStream),
  run: async (tx, { keys }, { now }): Promise<{ closed: number }> => {
    let closed = 0
    for (const key of keys) {
      const row = await tx.first(selectConversation, { key })
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
export const setCutoverRule = defineUseCase({
  name: 'set-cutover-rule',
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
