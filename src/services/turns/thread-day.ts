/** Keeps on which days something was asked in a session, for the notes of those days (DC3). */
import { logicalDay } from '../../domain/conversations/chapter.ts'
import { cutoverRule } from '../../store/conversations/chapters.ts'
import type { Tx } from '../../store/store.ts'
import type { TurnRow } from '../../store/turns/turns.ts'

/** The caller holds the lock of the conversation. */
export async function keepThreadDay(
  tx: Tx,
  { conversation_key: key, created_at: at }: Pick<TurnRow, 'conversation_key' | 'created_at'>,
): Promise<void> {
  const row = await tx.row('conversations', { key })
  if (row?.kind !== 'session') return
  const rule = await cutoverRule(tx)
  if (rule.hour === null) return
  const dayKey = { day: logicalDay(rule, at), conversation_key: key }
  if (!(await tx.row('thread_days', dayKey)))
    await tx.insert('thread_days', { ...dayKey, note_seq: null, removed: 0 })
}
