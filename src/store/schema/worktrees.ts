/** The tables of worktrees and of requests to coordinators. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type {
  CoordinatorRequestKind,
  WorktreeFolder,
} from '../../protocol/processes/coordinator-requests.ts'
import { column, fixed, key } from './column.ts'

export const worktreeTables = {
  /** The register of worktrees (WT3): a folder that is not in it is never removed. */
  worktrees: {
    id: key<string>(),
    project_id: fixed<string>(),
    /** Empty for a conversation outside of a console. */
    user_session_id: fixed<string>(),
    /** The account of the user session, hidden from others; empty: all who may read the project. */
    account_id: column<string>(),
    /** For a conversation: its name in folder and branch. */
    role: column<string>(),
    agent_id: column<string>(),
    coordinator_id: fixed<string>(),
    kind: column<WorktreeFolder['kind']>(),
    folder: column<string>(),
    /** The root of the worktree; the folder may be below it. */
    top: fixed<string>(),
    branch: column<string | null>(null),
    base_branch: column<string | null>(null),
    note: column<string | null>(null),
    /** JSON: the code and parameters beside `note`. */
    notice: column<string | null>(null),
    /** JSON: the setup steps that were run. */
    set_up: column<string | null>(null),
    created_at: fixed<Instant>(),
    last_used_at: column<Instant>(),
    removed_at: column<Instant | null>(null),
    removed_by: column<string | null>(null),
    /** The conversation that works there (CX9); null: a role. */
    conversation_key: fixed<string | null>(null),
  },

  /** WT5; a project without a row has no setup. */
  set_ups: {
    project_id: key<string>(),
    /** JSON: a list of arguments, or null. */
    command: column<string>(),
    /** JSON: a list of paths. */
    copy: column<string>(),
  },

  questions: {
    id: key<string>(),
    coordinator_id: fixed<string>(),
    /** The epoch of the coordinator that was asked; its successor does not answer. */
    epoch: fixed<number>(),
    kind: fixed<CoordinatorRequestKind>(),
    /** JSON */
    ask: fixed<string>(),
    project_id: fixed<string>(),
    worktree_id: fixed<string | null>(null),
    asked_by: fixed<string>(),
    asked_at: fixed<Instant>(),
    deadline: fixed<Instant>(),
    answered_at: column<Instant | null>(null),
  },

  question_answers: {
    question_id: key<string>(),
    part: key<number>(),
    said: fixed<string>(),
  },
}
