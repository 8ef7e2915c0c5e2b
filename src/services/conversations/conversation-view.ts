/** A conversation as it is answered: with its title, what it does, and what its reader knows. */
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { type ConversationRow, conversationOf } from '../../store/conversations/conversations.ts'
import { isArchived, marksOf } from '../../store/conversations/marks.ts'
import { selectLastSaid, selectOpening } from '../../store/conversations/messages.ts'
import type { Reader } from '../../store/store.ts'
import { selectTaskTitleIn } from '../../store/turns/turns.ts'
import { ownerInRow } from '../access/owners.ts'
import { activityOf } from './conversation-activity.ts'
import { workplaceOf } from './conversation-workplace.ts'

export async function conversationView(
  reader: Reader,
  row: ConversationRow,
): Promise<Conversation & { readonly opening: string | null }> {
  const conversation = conversationOf(row)
  const opening = await openingOf(reader, row)
  return {
    ...conversation,
    title: conversation.title ?? (isNamedByPrompt(row) ? firstLine(opening) : null),
    opening,
    ...(await activityOf(reader, row)),
    workplace: await workplaceOf(reader, row),
    ...(row.kind === 'session' && { shared: ownerInRow(row) === null }),
  }
}

/** The same, with what is the reader's own. */
export async function viewFor(
  reader: Reader,
  row: ConversationRow,
  personId: string,
): Promise<Conversation & { readonly opening: string | null }> {
  const { marks } = await marksFor(reader, row, personId)
  return { ...(await conversationView(reader, row)), ...marks }
}

type PersonalMarks = Required<Pick<Conversation, 'unread' | 'seen' | 'settled' | 'archived'>>

/** What this person has read, settled and archived, and the newest message. */
export async function marksFor(reader: Reader, row: ConversationRow, personId: string) {
  const { key } = row
  const last = await reader.first(selectLastSaid, { key })
  const stored = await marksOf(reader, { key, personId })
  const marks: PersonalMarks = {
    // One's own words are not news.
    unread:
      last !== undefined &&
      last.sender_id !== personId &&
      last.seq > Math.max(stored.seenSeq, row.read_through),
    seen: Math.max(stored.seenSeq, row.read_through),
    settled: last === undefined || last.seq <= Math.max(stored.settledSeq, row.read_through),
    archived: isArchived(stored, row),
  }
  return { marks, last }
}

/** What stands for a title: the newest task of work, else the beginning of the first message. */
async function openingOf(
  reader: Reader,
  { key, kind }: Pick<ConversationRow, 'key' | 'kind'>,
): Promise<string | null> {
  const task = kind === 'work' && (await reader.first(selectTaskTitleIn, { key }))
  if (task) return task.title
  return (await reader.first(selectOpening, { key }))?.beginning ?? null
}

/** A person's with one agent. A console is named by its first role, work by its tasks. */
const isNamedByPrompt = ({ kind, agent_id }: ConversationRow): boolean =>
  agent_id !== null && kind !== 'console' && kind !== 'work' && kind !== 'agent'

const firstLine = (text: string | null): string | null =>
  text?.trim().split('\n', 1)[0]?.trim() || null
