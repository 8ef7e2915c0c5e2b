/** The tables of worktrees and of requests to coordinators. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { CoordinatorRequestKind, WorktreeFolder } from '../../protocol/processes/coordinator-requests.ts'

/** The register of worktrees (WT3): a folder that is not in it is never removed. */
export interface WorktreesTable {
  id: string
  project_id: string
  /** Empty for a conversation outside of a console. */
  user_session_id: string
  /** The account of the user session, hidden from others; empty: all who may read the project. */
  account_id: string
  /** For a conversation: its name in folder and branch. */
  role: string
  agent_id: string
  coordinator_id: string
  kind: WorktreeFolder['kind']
  folder: string
  /** The root of the worktree; the folder may be below it. */
  top: string
  branch: string | null
  base_branch: string | null
  note: string | null
  /** JSON: the code and parameters beside `note`. */
  notice: string | null
  /** JSON: the setup steps that were run. */
  set_up: string | null
  created_at: Instant
  last_used_at: Instant
  removed_at: Instant | null
  removed_by: string | null
  /** The conversation that works there (CX9); null: a role. */
  conversation_key: string | null
}

/** WT5; a project without a row has no setup. */
export interface SetUpsTable {
  project_id: string
  /** JSON: a list of arguments, or null. */
  command: string
  /** JSON: a list of paths. */
  copy: string
}

export interface QuestionsTable {
  id: string
  coordinator_id: string
  /** The epoch of the coordinator that was asked; its successor does not answer. */
  epoch: number
  kind: CoordinatorRequestKind
  /** JSON */
  ask: string
  project_id: string
  worktree_id: string | null
  asked_by: string
  asked_at: Instant
  deadline: Instant
  answered_at: Instant | null
}

export interface QuestionAnswersTable {
  question_id: string
  part: number
  said: string
}

export interface WorktreeTables {
  worktrees: WorktreesTable
  set_ups: SetUpsTable
  questions: QuestionsTable
  question_answers: QuestionAnswersTable
}
