/** The tables of worktrees and of questions to coordinators, as tables.ts has the others. */
import type { Instant } from '../../domain/instant.ts'
import type { CoordinatorRequestKind, WorktreeFolder } from '../../protocol/processes/coordinator-requests.ts'

/** The register (WT3): what is not in it is not ours to remove. */
export interface WorktreesTable {
  id: string
  project_id: string
  /** Empty: of a conversation that is not in a console. */
  user_session_id: string
  /** Of the user session: to others it is not there; empty: of all who may read the project. */
  account_id: string
  /** Of a conversation: its name in folder and branch. */
  role: string
  agent_id: string
  coordinator_id: string
  kind: WorktreeFolder['kind']
  folder: string
  /** Of the tree; the folder may lie below. */
  top: string
  branch: string | null
  base_branch: string | null
  note: string | null
  /** JSON: what was done to make it runnable. */
  set_up: string | null
  created_at: Instant
  last_used_at: Instant
  removed_at: Instant | null
  removed_by: string | null
  /** Whose workplace it is (CX9); null: a role's. */
  conversation_key: string | null
}

/** WT5; a project without a row names nothing. */
export interface SetUpsTable {
  project_id: string
  /** JSON: a list of words, or null. */
  command: string
  /** JSON: a list of paths. */
  copy: string
}

export interface QuestionsTable {
  id: string
  coordinator_id: string
  /** Of the coordinator that was asked; its successor is not. */
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
