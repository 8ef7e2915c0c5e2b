/**
 * Queries about what a person has read, settled and archived of conversations: a row of theirs for
 * each, written under the lock of the conversation's stream.
 */
import { sql } from 'kysely'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

interface Marked {
  readonly key: string
  readonly personId: string
}

/** Never goes back. */
export const keepSeen = statement<Marked & { seq: number }>()((db, p) =>
  db
    .insertInto('seen_conversations')
    .values({
      person_id: p.personId,
      conversation_key: p.key,
      seq: p.seq,
      settled_seq: 0,
      archived_seq: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['person_id', 'conversation_key'])
        .doUpdateSet({ seq: p.seq })
        .where(sql.ref('seen_conversations.seq'), '<', p.seq),
    ),
)

/** Never goes back. The person's row is there. */
export const keepSettled = statement<Marked & { seq: number }>()((db, p) =>
  db
    .updateTable('seen_conversations')
    .set({ settled_seq: p.seq })
    .where('person_id', '=', p.personId)
    .where('conversation_key', '=', p.key)
    .where('settled_seq', '<', p.seq),
)

/** null: it is not archived. The person's row is there. */
export const keepArchived = statement<Marked & { seq: number | null }>()((db, p) =>
  db
    .updateTable('seen_conversations')
    .set({ archived_seq: p.seq })
    .where('person_id', '=', p.personId)
    .where('conversation_key', '=', p.key),
)

const selectMarks = statement<Marked>()((db, p) =>
  db
    .selectFrom('seen_conversations')
    .select(['seq', 'settled_seq', 'archived_seq'])
    .where('person_id', '=', p.personId)
    .where('conversation_key', '=', p.key),
)

export interface Marks {
  readonly seenSeq: number
  readonly settledSeq: number
  /** null: not archived. */
  readonly archivedSeq: number | null
}

export async function marksOf(reader: Reader, marked: Marked): Promise<Marks> {
  const row = await reader.first(selectMarks, marked)
  return {
    seenSeq: row?.seq ?? 0,
    settledSeq: row?.settled_seq ?? 0,
    archivedSeq: row?.archived_seq ?? null,
  }
}

/** What is archived is back with its next message. */
export const isArchived = (
  { archivedSeq }: Marks,
  { last_seq }: Pick<Tables['conversations'], 'last_seq'>,
): boolean => archivedSeq !== null && archivedSeq >= last_seq
