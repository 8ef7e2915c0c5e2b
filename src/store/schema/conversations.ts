/** The tables of conversations (CV) and days (DC): messages, unread messages, chapters and notes. Part of tables.ts. */
import type { Day } from '../../domain/conversations/chapter.ts'
import type { Instant } from '../../domain/instant.ts'
import type { ConversationWorkspace } from '../../protocol/conversations/conversation-workspace.ts'

export interface ConversationsTable {
  key: string
  /** The project of a chat with an agent; null for other channels. */
  project_id: string | null
  agent_id: string | null
  state: 'open' | 'closed'
  summary: string
  /** The newest message the summary covers. */
  summary_through: number
  /** Messages up to this one are no longer given to agents; they stay in the archive. */
  kept_after: number
  unsummarised_chars: number
  message_count: number
  /** The logical day of the open chapter (DC2), and its end; null while it has no message. */
  chapter_day: Day | null
  chapter_due_at: Instant | null
  /** Messages up to this one are in closed chapters. */
  chapter_after: number
  /** The visible messages of the open chapter, also those no longer given to agents. */
  chapter_messages: number
  flags: string
  /** Incremented when the history that agents know becomes invalid: cutover, reset, truncation, a new history. */
  generation: number
  /** null: none was given; readers derive one. */
  title: string | null
  /** The person who gave the title; null: the agent, or nobody. */
  titled_by: string | null
  /** The account it belongs to, besides the owner; null: all who may read its project. */
  account_id: string | null
  /** CX9: where its agent works; null: the project's own folder, the only one before this column. */
  workplace: ConversationWorkspace['kind'] | null
  /** FS9: JSON, the conversation and turn it was forked from. */
  forked_from: string | null
  created_at: Instant
  updated_at: Instant
}

/** CV6: the conversation that has this file name, compared as file systems do. */
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
  /** JSON: the code and parameters beside `content`. */
  notice: string | null
  visible: number
  priority: 'low' | 'normal' | 'high' | 'urgent'
  project_id: string | null
  related_task_id: string | null
  related_handoff_id: string | null
  client_id: string | null
  tool_calls: string | null
  tool_call_id: string | null
  media: string | null
  /** CV7: other fields of the importing program as JSON, including its own role. */
  extra: string | null
  /** CV1: the number of the original message that setHistory copied. */
  copy_of: number | null
  /** Between agents: the conversation of the requesting context; null elsewhere. */
  origin_key: string | null
  /** The sender's name; null: the sender's id is shown. */
  sender_name: string | null
  /** FS8: the rewind that took it back; such a message is hidden. */
  rewound_by: string | null
  created_at: Instant
}

/** Unread messages of agents: a row is deleted when the message is answered, so the table does not grow with history. */
export interface UnreadMessagesTable {
  agent_id: string
  project_id: string
  conversation_key: string
  seq: number
  priority_rank: number
  created_at: Instant
  /** The length of its content, so that a delivery can be bounded without reading it. */
  chars: number
  /** The turn that answers it: queued until it is delivered, then running. */
  turn_id: string
}

/** A closed day of a conversation, with the messages after `after_seq` up to `through_seq`. */
export interface ChaptersTable {
  conversation_key: string
  day: Day
  after_seq: number
  through_seq: number
  /** The number of visible messages. */
  message_count: number
  summary: string
  closed_at: Instant
  /** The number in the note's stream at which the note included it; null until then. */
  note_seq: number | null
  /** Whether its conversation was deleted; the row is deleted when the note is updated. */
  removed: number
}

/** The note of a day; its text is made from the chapters on request. */
export interface NotesTable {
  day: Day
  conversations: number
  messages: number
  /** The newest event of the note's stream. */
  seq: number
  /** The event up to which the file was written. */
  written_seq: number
  /** Why the last attempt to write the file failed. */
  problem: string | null
  updated_at: Instant
}

/** The rows of the search index (DC5), derived from the messages. */
export interface SearchDocumentsTable {
  /** The time in milliseconds and a number within that millisecond, so that ids sort by time. */
  id: number
  conversation_key: string
  seq: number
}

/** The engine's own full-text index, used through its dialect. */
export interface SearchTermsTable {
  rowid: number
  terms: string
}

/** The index position of a conversation's stream. */
export interface SearchPositionsTable {
  conversation_key: string
  through: number
}

export interface SearchTables {
  search_documents: SearchDocumentsTable
  search_terms: SearchTermsTable
  search_positions: SearchPositionsTable
}
