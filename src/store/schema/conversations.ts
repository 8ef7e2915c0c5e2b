/**
 * The tables of conversations (CV) and days (DC): messages, unread messages, chapters and notes.
 * Part of tables.ts.
 */
import type { Day } from '../../domain/conversations/chapter.ts'
import type { ConversationKind } from '../../domain/conversations/key.ts'
import type { Instant } from '../../domain/instant.ts'
import type { ConversationWorkspace } from '../../protocol/conversations/conversation-workspace.ts'
import type { PastAgent } from '../../protocol/conversations/past-session.ts'
import { column, fixed, key } from './column.ts'

export const conversationTables = {
  conversations: {
    key: key<string>(),
    /** What it is, with the columns below: given as it begins. The key is only its name. */
    kind: fixed<ConversationKind>(),
    /**
     * The project of a chat with an agent; null for other channels. A chat on another platform may
     * change both.
     */
    project_id: column<string | null>(null),
    /** Between two agents, the first by id. */
    agent_id: column<string | null>(null),
    other_agent_id: fixed<string | null>(null),
    /**
     * SN21: JSON, the agents that it had one after another and since when, the present one last;
     * null: one.
     */
    agents: column<string | null>(null),
    /** The session that goes on with another agent, and the one that this goes on from. */
    continued_as: column<string | null>(null),
    continued_from: fixed<string | null>(null),
    /** Set for an agent in a role. */
    user_session_id: fixed<string | null>(null),
    role: fixed<string | null>(null),
    /** Set for work: the first work session of its lineage. */
    work_session_id: fixed<string | null>(null),
    /** The key of a thread, which has processes of its own; empty: the common ones serve it. */
    lane: fixed<string>(''),
    /** 1: begun without a message and a title, so nobody is told of it yet. */
    draft: column<number>(0),
    state: column<'open' | 'closed'>('open'),
    summary: column<string>(''),
    /** CX17: the person who wrote or put in the summary; null: its agent, or there is none. */
    summary_by: column<string | null>(null),
    /** The newest message the summary covers. */
    summary_through: column<number>(0),
    /** Messages up to this one are no longer given to agents; they stay in the archive. */
    kept_after: column<number>(0),
    unsummarised_chars: column<number>(0),
    message_count: column<number>(0),
    /** When its newest turn was added, by which it is listed. Without one: its beginning. */
    last_turn_at: column<Instant>(),
    /** The newest visible message, also one that was taken back. */
    last_seq: column<number>(0),
    /** The logical day of the open chapter (DC2), and its end; null while it has no message. */
    chapter_day: column<Day | null>(null),
    chapter_due_at: column<Instant | null>(null),
    /** Messages up to this one are in closed chapters. */
    chapter_after: column<number>(0),
    /** The visible messages of the open chapter, also those no longer given to agents. */
    chapter_messages: column<number>(0),
    flags: column<string>('{}'),
    /**
     * Incremented when the history that agents know becomes invalid: cutover, reset, truncation, a
     * new history.
     */
    generation: column<number>(0),
    /** null: none was given; readers derive one. */
    title: column<string | null>(null),
    /** What its agent calls it, also where a person's title stands. */
    agent_title: column<string | null>(null),
    /** The person who gave the title; null: the agent, or nobody. */
    titled_by: column<string | null>(null),
    /** The account it belongs to, besides the owner; null: all who may read its project. */
    account_id: column<string | null>(null),
    /**
     * CX9: where its agent works; null: the project's own folder, the only one before this column.
     */
    workplace: column<ConversationWorkspace['kind'] | null>(null),
    /** The folder that was given, where `workplace` is `folder`. */
    workplace_folder: column<string | null>(null),
    /** FS9: JSON, the conversation and turn it was forked from. */
    forked_from: column<string | null>(null),
    /** JSON: fields of other programs at the top of its file (CV7). */
    extra: fixed<string | null>(null),
    /** IM5: messages up to this one are unread by nobody. */
    read_through: column<number>(0),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  /** CV6: the conversation that has this file name, compared as file systems do. */
  conversation_names: {
    name: key<string>(),
    conversation_key: fixed<string>(),
  },

  messages: {
    conversation_key: key<string>(),
    /** The number of its event in the conversation's stream. */
    seq: key<number>(),
    id: fixed<string>(),
    role: fixed<'user' | 'assistant' | 'system' | 'tool'>(),
    sender_id: fixed<string>(),
    receiver_id: fixed<string | null>(null),
    content: fixed<string>(),
    /** JSON: the code and parameters beside `content`. */
    notice: fixed<string | null>(null),
    visible: fixed<number>(),
    priority: fixed<'low' | 'normal' | 'high' | 'urgent'>(),
    project_id: fixed<string | null>(null),
    related_task_id: fixed<string | null>(null),
    related_handoff_id: fixed<string | null>(null),
    client_id: fixed<string | null>(null),
    tool_calls: fixed<string | null>(null),
    tool_call_id: fixed<string | null>(null),
    media: fixed<string | null>(null),
    /** CV7: other fields of the importing program as JSON, including its own role. */
    extra: fixed<string | null>(null),
    /** CV1: the number of the original message that setHistory copied. */
    copy_of: fixed<number | null>(null),
    /** Between agents: the conversation of the requesting context; null elsewhere. */
    origin_key: fixed<string | null>(null),
    /** The sender's name; null: the sender's id is shown. */
    sender_name: fixed<string | null>(null),
    /** FS8: the rewind that took it back, or `withdrawn` (CH16); such a message is hidden. */
    rewound_by: column<string | null>(null),
    /** SN13: of a person's message that was answered, the turn; its answer has this `client_id`. */
    turn_id: column<string | null>(null),
    created_at: fixed<Instant>(),
  },

  /**
   * Unread messages of agents: a row is deleted when the message is answered, so the table does not
   * grow with history.
   */
  unread_messages: {
    agent_id: key<string>(),
    project_id: key<string>(),
    conversation_key: key<string>(),
    seq: key<number>(),
    priority_rank: fixed<number>(),
    created_at: fixed<Instant>(),
    /** The length of its content, so that a delivery can be bounded without reading it. */
    chars: fixed<number>(),
    /** The turn that answers it: queued until it is delivered, then running. */
    turn_id: column<string>(),
    /** CH18: its place in that turn, as a person moved it; null: behind those that have one. */
    moved_to: column<number | null>(null),
  },

  /** A closed day of a conversation, with the messages after `after_seq` up to `through_seq`. */
  chapters: {
    conversation_key: key<string>(),
    day: key<Day>(),
    after_seq: column<number>(),
    through_seq: column<number>(),
    /** The number of visible messages. */
    message_count: column<number>(),
    summary: column<string>(),
    /** CX17: as in the conversation. */
    summary_by: column<string | null>(null),
    closed_at: column<Instant>(),
    /** The number in the note's stream at which the note included it; null until then. */
    note_seq: column<number | null>(null),
    /** Whether its conversation was deleted; the row is deleted when the note is updated. */
    removed: column<number>(0),
  },

  /** The note of a day; its text is made from the chapters on request. */
  /** DC3: a day on which something was asked in a session. */
  thread_days: {
    day: key<Day>(),
    conversation_key: key<string>(),
    /** The event of the note that names it; null: none does yet. */
    note_seq: column<number | null>(null),
    /** Deleted since. */
    removed: column<number>(0),
  },

  notes: {
    day: key<Day>(),
    conversations: column<number>(),
    messages: column<number>(),
    /** The newest event of the note's stream. */
    seq: column<number>(),
    /** The event up to which the file was written. */
    written_seq: column<number>(),
    /** Why the last attempt to write the file failed. */
    problem: column<string | null>(null),
    updated_at: column<Instant>(),
  },

  /** How far a person has read a conversation, and what is the person's own besides. */
  seen_conversations: {
    person_id: key<string>(),
    conversation_key: key<string>(),
    seq: column<number>(),
    /** Dismissed and cleared up to this message. */
    settled_seq: column<number>(0),
    /** Archived when this was its newest message; null: it is not. */
    archived_seq: column<number | null>(null),
  },

  /** AH3: what a person's editor calls a session that it began. */
  session_names: {
    person_id: key<string>(),
    name: key<string>(),
    conversation_key: fixed<string>(),
    created_at: fixed<Instant>(),
  },

  /**
   * IM5: sessions of agents' own that were taken in, by the account and the agent's id. A row stays
   * when its conversation is deleted.
   */
  imported_sessions: {
    account_id: key<string>(),
    agent: key<PastAgent>(),
    source_id: key<string>(),
    conversation_key: fixed<string>(),
    title: column<string>(''),
    machine: column<string | null>(null),
    folder: column<string | null>(null),
    /** What its files were like when all of it had been taken in; null: not all was. */
    mark: column<string | null>(null),
    state: column<'taken' | 'deleted'>('taken'),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  panels: {
    project_id: key<string>(),
    agent_id: key<string>(),
    lane: key<string>(),
    panel_id: key<string>(),
    seen_at: column<Instant>(),
  },
}

/** The tables of the search index, derived from the messages when a store is opened. */
export const searchTables = {
  /** The rows of the search index (DC5), derived from the messages. */
  search_documents: {
    /** The time in milliseconds and a number within that millisecond, so that ids sort by time. */
    id: key<number>(),
    conversation_key: fixed<string>(),
    seq: fixed<number>(),
  },

  /** The engine's own full-text index, used through its dialect. */
  search_terms: {
    rowid: key<number>(),
    terms: fixed<string>(),
  },

  /** The index position of a conversation's stream. */
  search_positions: {
    conversation_key: key<string>(),
    through: column<number>(),
  },
}
