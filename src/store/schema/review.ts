/** The tables of reviews (RV): comments, where they are, what was looked at. Part of tables.ts. */

import type { Instant } from '../../domain/instant.ts'
import type { CommentState } from '../../domain/review/comment.ts'
import type { HostKind } from '../../protocol/review/hosts.ts'
import type { LandingWay } from '../../protocol/review/landing-requests.ts'
import { column, fixed, key } from './column.ts'

export const reviewTables = {
  /** A comment on lines, or an answer to one (`in_reply_to`). */
  comments: {
    id: key<string>(),
    conversation_key: fixed<string>(),
    /** `c7`; an answer has that of its comment. Never given twice in a conversation. */
    number: fixed<number>(),
    in_reply_to: fixed<string | null>(null),
    author_id: fixed<string>(),
    text: column<string>(),
    state: column<CommentState>('draft'),
    resolved_by: column<string | null>(null),
    /** The message of the conversation that sent it. */
    sent_seq: column<number | null>(null),
    /** Where it was written: the side, the path, and lines of a version of the file. */
    side: fixed<'old' | 'new'>(),
    file: fixed<string>(),
    line: fixed<number>(),
    end_line: fixed<number>(),
    blob: fixed<string>(),
    /** JSON: the code, as the diff showed it. */
    code: fixed<string>(),
    /** The state it was carried to, the file's path there, and the turn that ended with it. */
    tree: column<string>(),
    path: column<string>(),
    through_turn: column<string>(''),
    /** Where it stands in All changes; null: it is outdated. */
    now_side: column<'old' | 'new' | null>(null),
    now_file: column<string>(),
    now_line: column<number>(),
    now_end_line: column<number>(),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  /** The lines of a comment in each version of its file that was seen; null: they are not there. */
  comment_places: {
    comment_id: key<string>(),
    blob: key<string>(),
    conversation_key: fixed<string>(),
    line: fixed<number | null>(null),
    end_line: fixed<number | null>(null),
  },

  /** The version of a file that somebody has looked at; empty: it was deleted. */
  viewed_files: {
    person_id: key<string>(),
    conversation_key: key<string>(),
    file: key<string>(),
    blob: column<string>(),
  },

  /** LD: what was landed of a conversation. */
  landings: {
    id: key<string>(),
    conversation_key: fixed<string>(),
    project_id: fixed<string>(),
    coordinator_id: fixed<string>(),
    worktree_id: fixed<string>(),
    top: fixed<string>(),
    how: fixed<LandingWay>(),
    state: column<'running' | 'done' | 'failed' | 'undoing' | 'undone'>(),
    /** JSON: the plan, as it was pressed. */
    plan: fixed<string>(),
    /** JSON: why it failed. */
    result: column<string | null>(null),
    asked_by: fixed<string>(),
    asked_at: fixed<Instant>(),
    ended_at: column<Instant | null>(null),
  },

  /** The steps of a landing: recorded as begun before their machine is asked. */
  landing_steps: {
    landing_id: key<string>(),
    n: key<number>(),
    conversation_key: fixed<string>(),
    /** JSON: all that it needs. */
    step: fixed<string>(),
    state: column<'planned' | 'begun' | 'done' | 'failed'>(),
    /** JSON */
    result: column<string | null>(null),
    begun_at: column<Instant | null>(null),
    ended_at: column<Instant | null>(null),
  },

  /** LD7: tokens for hosts, one's own (`person_id`) or a project's; the other is empty. */
  host_tokens: {
    host: key<string>(),
    person_id: key<string>(),
    project_id: key<string>(),
    kind: column<HostKind>(),
    /** Where its API answered. */
    api: column<string>(),
    /** JSON: a sealed value. */
    sealed: column<string>(),
    account: column<string | null>(null),
    set_by: column<string>(),
    set_at: column<Instant>(),
  },

  /** LD7: the address that a project's work is pushed to. */
  project_remotes: {
    project_id: key<string>(),
    address: column<string>(),
    set_by: column<string>(),
    set_at: column<Instant>(),
  },

  /** The newest tree that somebody has reviewed. */
  reviewed_trees: {
    person_id: key<string>(),
    conversation_key: key<string>(),
    tree: column<string>(),
    at: column<Instant>(),
  },
}
