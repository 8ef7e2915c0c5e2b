/**
 * The tables as TypeScript types. Times are RFC 3339 text, JSON is text, booleans are 1 and 0: the same on both engines, and
 * readable with any SQL client.
 */
import type { Instant } from '../../domain/instant.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import type { PermissionOutcome } from '../../protocol/consoles/user-session.ts'
import type { ChannelTables } from './channels.ts'
import type { AllowancesTable, RoleAgentsTable, UserSessionsTable } from './consoles.ts'
import type {
  ChaptersTable,
  ConversationNamesTable,
  ConversationsTable,
  MessagesTable,
  NotesTable,
  SearchTables,
  UnreadMessagesTable,
} from './conversations.ts'
import type { CoordinatorsTable, LaunchesTable, LeasesTable } from './processes.ts'
import type { SecretTables } from './secrets.ts'
import type { TurnTables } from './turns.ts'
import type { ApproachesTable, ArtifactsTable, CheckpointsTable, UploadPartsTable, UploadsTable } from './work.ts'
import type { WorktreeTables } from './worktrees.ts'

export interface MetaTable {
  key: string
  value: string
}

export interface StreamsTable {
  name: StreamName
  /** The number of the newest event. */
  head: number
  /** Events up to this number were trimmed. */
  floor: number
}

export interface EventsTable {
  stream: StreamName
  seq: number
  type: string
  at: Instant
  data: string | null
  ref_stream: StreamName | null
  ref_seq: number | null
}

export interface ReceiptsTable {
  credential_id: string
  operation: string
  key: string
  content_hash: string
  answer: string
  sealed: number
  created_at: Instant
}

export interface ProjectsTable {
  id: string
  name: string
  path: string | null
  settings: string
  created_at: Instant
  updated_at: Instant
}

export interface AgentsTable {
  id: string
  name: string
  protocol: 'acp' | 'mcp'
  command: string | null
  args: string
  env: string
  role: string | null
  max_processes: number | null
  hold_seconds: number
  /** The label of the machines it may run on; null for any. */
  runs_on: string | null
  /** JSON: domain/agents/isolation.ts. */
  isolation: string
  /** JSON: protocol/agents/report.ts. */
  report: string | null
  passkey_hash: string
  created_at: Instant
  updated_at: Instant
}

export interface AssignmentsTable {
  project_id: string
  agent_id: string
  isolation: string
  created_at: Instant
}

export interface PeopleTable {
  id: string
  name: string
  role: 'owner' | 'member' | 'viewer'
  created_at: Instant
}

/** All credentials besides the owner token: tokens of people and scripts, cookies of browsers. */
export interface CredentialsTable {
  id: string
  kind: 'person' | 'browser' | 'script' | 'coordinator'
  /** The responsible person: the holder of the token or browser, or its creator. */
  person_id: string
  name: string
  hash: string
  scopes: string
  created_by: string
  created_at: Instant
  expires_at: Instant | null
}

export interface SignInCodesTable {
  hash: string
  person_id: string
  expires_at: Instant
}

/** A chat panel was opened: work for the agent until a session takes it (AS3). */
export interface PendingPurposesTable {
  agent_id: string
  project_id: string
  created_at: Instant
}

/** Conversations between agents that a live agent session has written in: they are closed when it ends (CV10, AS9). */
export interface OpenConversationsTable {
  agent_session_id: string
  conversation_key: string
}

export interface AgentSessionsTable {
  id: string
  agent_id: string
  project_id: string
  purpose: 'chat' | 'task'
  state: 'active' | 'terminating' | 'ended'
  launch_id: string | null
  token_hash: string
  work_session_id: string | null
  created_at: Instant
  last_activity_at: Instant
  /** The last `respond_chat`; null before the first. */
  last_answer_at: Instant | null
  expires_at: Instant
  terminating_at: Instant | null
  suspected_at: Instant | null
  ended_at: Instant | null
  end_reason: string | null
  /** The resumed work session whose context this one was handed (NA11). */
  resumed_work_session_id: string | null
  /** The conversation that a pulling agent holds. */
  context_id: string | null
}

/** Exit reports of processes that were already decided (PX6). */
export interface ExitReportsTable {
  /** The coordinator that reported: each has its own numbers. */
  reporter_id: string
  report_id: string
  created_at: Instant
}

/** The newest epoch of a coordinator; reports from an older one are refused (PX6). */
export interface CoordinatorEpochsTable {
  coordinator_id: string
  epoch: number
}

/** Work sessions, with the table name and columns of the specification (WK1). */
export interface WorkSessionsTable {
  id: string
  project_id: string
  parent_session_id: string | null
  started_at: Instant
  ended_at: Instant | null
  /** null in an ended one means completed. */
  interruption_reason: string | null
  current_phase: number | null
  current_agent_role: string | null
  current_agent_type: string | null
  current_task_id: string | null
  context_summary: string | null
  owner_agent_session_id: string | null
  /** The newest work session resumed from it. */
  resumed_by: string | null
  resume_failures: number
  /** Why it is no longer resumed (RS3). */
  set_aside: string | null
  /** AR3: why an entry in its approaches.json was not imported. */
  file_problem: string | null
  /** JSON: the code and parameters beside `file_problem`. */
  notice: string | null
  /** The last error as JSON: `{code, message, at}`. */
  error: string | null
  /** When a person dismissed it (WK6). */
  dismissed_at: Instant | null
}

export interface TasksTable {
  project_id: string
  id: string
  /** null until an agent takes the task (WK4). */
  session_id: string | null
  phase: number
  task_type: string
  title: string
  description: string | null
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'blocked'
  progress_percent: number
  assigned_to: string | null
  /** A JSON list in the given order. */
  depends_on: string
  /** The first unfinished dependency; null unless the task is blocked. */
  blocked_by: string | null
  started_at: Instant | null
  completed_at: Instant | null
  result: string | null
  created_at: Instant
  updated_at: Instant
}

/** The dependencies of tasks, one row for each entry of `depends_on`. */
export interface TaskDependenciesTable {
  project_id: string
  task_id: string
  depends_on: string
}

export interface HumanApprovalsTable {
  id: number
  session_id: string | null
  project_id: string
  checkpoint_type: string
  leader_id: string
  task_id: string | null
  asked_by_agent_session_id: string | null
  /** The agent session that was last given the decision (AP8). */
  told_to: string | null
  /** The conversation in which it was requested, outside of work sessions. */
  conversation_key: string | null
  status: 'pending' | 'approved' | 'rejected' | 'revision_requested'
  submitted_at: Instant
  resolved_at: Instant | null
  decided_by: string | null
  feedback: string | null
  instruction_content: string | null
  worker_instructions: string
  artifacts: string
  revision_history: string
  /** AP7: the person that imported files name for a decision; null for decisions made here. */
  imported_decider: string | null
  /** The following columns are for permissions for tools (AP4) only. */
  outcome: PermissionOutcome | null
  digest: string | null
  options: string | null
  tool_call: string | null
  /** The option that was chosen. */
  option_id: string | null
  /** The coordinator's name for the request, unique within the launch. */
  ask_id: string | null
  launch_id: string | null
  turn_id: string | null
  user_session_id: string | null
  role: string | null
  deadline: Instant | null
  /** Equal for repeated requests of the same call. */
  likeness: string | null
  /** AP13: an agent's question, and the answer to it. */
  question: string | null
  answer: string | null
}

/** How far a person has read a conversation. */
export interface SeenConversationsTable {
  person_id: string
  conversation_key: string
  seq: number
}

export interface PanelsTable {
  project_id: string
  agent_id: string
  panel_id: string
  seen_at: Instant
}

export interface Tables extends SearchTables, ChannelTables, WorktreeTables, TurnTables, SecretTables {
  meta: MetaTable
  streams: StreamsTable
  events: EventsTable
  receipts: ReceiptsTable
  projects: ProjectsTable
  agents: AgentsTable
  assignments: AssignmentsTable
  people: PeopleTable
  credentials: CredentialsTable
  sign_in_codes: SignInCodesTable
  conversations: ConversationsTable
  conversation_names: ConversationNamesTable
  messages: MessagesTable
  chapters: ChaptersTable
  notes: NotesTable
  unread_messages: UnreadMessagesTable
  pending_purposes: PendingPurposesTable
  open_conversations: OpenConversationsTable
  agent_sessions: AgentSessionsTable
  exit_reports: ExitReportsTable
  coordinator_epochs: CoordinatorEpochsTable
  ['sessions']: WorkSessionsTable
  tasks: TasksTable
  task_dependencies: TaskDependenciesTable
  human_approvals: HumanApprovalsTable
  allowances: AllowancesTable
  coordinators: CoordinatorsTable
  launches: LaunchesTable
  panels: PanelsTable
  seen_conversations: SeenConversationsTable
  user_sessions: UserSessionsTable
  role_agents: RoleAgentsTable
  approaches: ApproachesTable
  checkpoints: CheckpointsTable
  artifacts: ArtifactsTable
  uploads: UploadsTable
  upload_parts: UploadPartsTable
  leases: LeasesTable
}
