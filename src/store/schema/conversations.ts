/** The tables of conversations (CV) and of their days (DC): messages, what is unread, closed chapters and notes. Parts of tables.ts. */
import type { Day } from '../../domain/conversations/logical-day.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Workplace } from '../../protocol/conversations/workplace.ts'

export interface ConversationsTable {
  key: string
  /** Of a chat with an agent of a project; null for other channels. */
  project_id: string | null
  agent_id: string | null
  state: 'open' | 'closed'
  summary: string
  /** The newest message the summary covers. */
  summary_through: number
  /** Messages up to this one are no longer handed to agents; they stay in the archive. */
  kept_after: number
  unsummarised_chars: number
  message_count: number
  /** The logical day of the open chapter (DC2), and when it is over; null while there is no message in it. */
  chapter_day: Day | null
  chapter_due_at: Instant | null
  /** Messages up to this one are in closed chapters. */
  chapter_after: number
  /** Visible ones in the open chapter, also those that agents are no longer handed. */
  chapter_messages: number
  flags: string
  /** Raised when what agents were told stops being what the conversation holds: cutover, reset, truncation, a new history. */
  generation: number
  /** null: none was given; readers make one. */
  title: string | null
  /** Whose it is, beside the owner; null: of all who may read its project. */
  account_id: string | null
  /** CX9: where its agent works; null: in the project's own folder, as all did before it could be chosen. */
  workplace: Workplace['kind'] | null
  created_at: Instant
  updated_at: Instant
}

/** CV6: which conversation's file has this name, as far as file systems tell names apart. */
export interface ConversationNamesTable {
  name: string
  conversation_key: string
}

export interface MessagesTable {
  conversation_key: string
  /** The number of its event in the conversation's stream. */
  seq: number
  id: string
  role: 'user' | 'assistant' | 'system' | 'tool'
  sender_id: string
  receiver_id: string | null
  content: string
  visible: number
  priority: 'low' | 'normal' | 'high' | 'urgent'
  project_id: string | null
  related_task_id: string | null
  related_handoff_id: string | null
  client_id: string | null
  tool_calls: string | null
  tool_call_id: string | null
  media: string | null
  /** CV7: what another program wrote beside that, as JSON; its own word for the role, too. */
  extra: string | null
  /** CV1: the number of the message that this is the same as, put back by setHistory. */
  copy_of: number | null
  /** Between agents: the conversation of the context that asked; null elsewhere. */
  origin_key: string | null
  /** Who wrote it, in words; null: the sender's id says it. */
  sender_name: string | null
  created_at: Instant
}

/** A row while a message is unread by an agent: gone when it is answered, so the table never grows with history. */
export interface UnreadMessagesTable {
  agent_id: string
  project_id: string
  conversation_key: string
  seq: number
  priority_rank: number
  created_at: Instant
  /** The length of its content, so that what is handed over can be bounded without reading it. */
  chars: number
  /** The turn that answers it: queued until it is handed over, then running. */
  turn_id: string
}

/** A day of a conversation that is over. Its messages are those behind `after_seq`, up to `through_seq`. */
export interface ChaptersTable {
  conversation_key: string
  day: Day
  after_seq: number
  through_seq: number
  /** Visible ones. */
  message_count: number
  summary: string
  closed_at: Instant
  /** The number in the note's stream with which the note learned of it; null until then. */
  note_seq: number | null
  /** Its conversation was deleted: the row goes when the note knows. */
  removed: number
}

/** The note of a day, as far as it is made of chapters; the text is made from them when it is asked for. */
export interface NotesTable {
  day: Day
  conversations: number
  messages: number
  /** The newest event of the note's stream. */
  seq: number
  /** Up to which event the file was written. */
  written_seq: number
  /** Why the file could not be written, the last time it was tried. */
  problem: string | null
  updated_at: Instant
}

/** The rows of the search index (DC5): made from the messages, by whoever follows them, and never the only place of anything. */
export interface SearchDocumentsTable {
  /** Its time in milliseconds, and a number within that millisecond: newest first is the order of the ids. */
  id: number
  conversation_key: string
  seq: number
}

/** Each engine's own index; what it is told and asked goes through its dialect. */
export interface SearchTermsTable {
  rowid: number
  terms: string
}

/** How far into a conversation's stream its messages are indexed. */
export interface SearchPositionsTable {
  conversation_key: string
  through: number
}

export interface SearchTables {
  search_documents: SearchDocumentsTable
  search_terms: SearchTermsTable
  search_positions: SearchPositionsTable
}
