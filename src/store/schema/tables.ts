/**
 * The tables as TypeScript sees them. Times are RFC 3339 text, JSON is text, yes and no are 1 and 0: one form that both
 * engines store alike and a person can read with any SQL client.
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
  passkey_hash: string
  created_at: Instant
  updated_at: Instant
}

export interface AssignmentsTable {
  project_id: string
  agent_id: string
  created_at: Instant
}

export interface PeopleTable {
  id: string
  name: string
  role: 'owner' | 'member' | 'viewer'
  created_at: Instant
}

/** Everything that can be presented instead of the owner token: people's and scripts' tokens, browsers' cookies. */
export interface CredentialsTable {
  id: string
  kind: 'person' | 'browser' | 'script' | 'coordinator'
  /** The person who answers for it: whose token or browser it is, or who made it. */
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

/** Somebody has opened the chat panel: work for the agent until a session takes it (AS3). */
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
  /** Of an agent that pulls: the one conversation that it holds. */
  context_id: string | null
}

/** Reports of process exits that were decided already (PX6). */
export interface ExitReportsTable {
  /** Whose id it is: each coordinator counts for itself. */
  reporter_id: string
  report_id: string
  created_at: Instant
}

/** The newest epoch in which a coordinator has reported; what comes from an older one is refused (PX6). */
export interface CoordinatorEpochsTable {
  coordinator_id: string
  epoch: number
}

/** Work sessions; the name and columns people know (WK1). */
export interface WorkSessionsTable {
  id: string
  project_id: string
  parent_session_id: string | null
  started_at: Instant
  ended_at: Instant | null
  /** null in an ended one: completed. */
  interruption_reason: string | null
  current_phase: number | null
  current_agent_role: string | null
  current_agent_type: string | null
  current_task_id: string | null
  context_summary: string | null
  owner_agent_session_id: string | null
  /** The newest one that was resumed from it. */
  resumed_by: string | null
  resume_failures: number
  /** Why it is not resumed any more (RS3). */
  set_aside: string | null
  /** AR3: why what somebody wrote into its approaches.json was not taken in. */
  file_problem: string | null
  /** The last error as JSON: `{code, message, at}`. */
  error: string | null
  /** A person does not want to be reminded of it (WK6). */
  dismissed_at: Instant | null
}

export interface TasksTable {
  project_id: string
  id: string
  /** null until an agent takes the task up (WK4). */
  session_id: string | null
  phase: number
  task_type: string
  title: string
  description: string | null
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'blocked'
  progress_percent: number
  assigned_to: string | null
  /** A JSON list, in the order it was given. */
  depends_on: string
  /** The first unfinished one of them; null unless the task is blocked. */
  blocked_by: string | null
  started_at: Instant | null
  completed_at: Instant | null
  result: string | null
  created_at: Instant
  updated_at: Instant
}

/** What `depends_on` of a task says, one row each: who waits for whom. */
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
  /** The agent session that was told of the decision last (AP8). */
  told_to: string | null
  /** The conversation it was asked in, where that is no work session's. */
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
  /** AP7: of a decision that was brought back from files, whom they name; null for what was decided here. */
  imported_decider: string | null
  /** What follows is of permissions for tools (AP4) only. */
  outcome: PermissionOutcome | null
  digest: string | null
  options: string | null
  tool_call: string | null
  /** The option that was chosen. */
  option_id: string | null
  /** The coordinator's name for the question, unique within the launch. */
  ask_id: string | null
  launch_id: string | null
  turn_id: string | null
  user_session_id: string | null
  role: string | null
  deadline: Instant | null
  /** The same for the same call asked again. */
  likeness: string | null
}

export interface PanelsTable {
  project_id: string
  agent_id: string
  panel_id: string
  seen_at: Instant
}

export interface Tables extends SearchTables, ChannelTables, WorktreeTables, TurnTables {
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
  user_sessions: UserSessionsTable
  role_agents: RoleAgentsTable
  approaches: ApproachesTable
  checkpoints: CheckpointsTable
  artifacts: ArtifactsTable
  uploads: UploadsTable
  upload_parts: UploadPartsTable
  leases: LeasesTable
}
