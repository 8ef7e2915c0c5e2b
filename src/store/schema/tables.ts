/**
 * The tables as TypeScript types. Times are RFC 3339 text, JSON is text, booleans are 1 and 0: the same on both engines, and
 * readable with any SQL client.
 */

import type { Instant } from '../../domain/instant.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import type { SecretForm, SecretUse } from '../../protocol/agents/secret.ts'
import type { PermissionOutcome } from '../../protocol/consoles/user-session.ts'
import { channelTables } from './channels.ts'
import { column, fixed, key, type RowOf } from './column.ts'
import { consoleTables } from './consoles.ts'
import { conversationTables, searchTables } from './conversations.ts'
import { processTables } from './processes.ts'
import { turnTables } from './turns.ts'
import { workTables } from './work.ts'
import { worktreeTables } from './worktrees.ts'

type MetaKey =
  | 'store_id'
  | 'incarnation'
  | 'schema_version'
  | 'created_at'
  | 'backed_up_at'
  | 'agent_sessions_swept_at'
  | 'cutover'
  /** SE12: the id of the key that agents' keys are sealed with. */
  | 'sealing_key'
  /** SE12: `kept` where an earlier build left plain values, `sealed` until their text is erased from the files. */
  | 'plain_values'

export const tables = {
  meta: {
    key: key<MetaKey>(),
    value: column<string>(),
  },

  streams: {
    name: key<StreamName>(),
    /** The number of the newest event. */
    head: column<number>(),
    /** Events up to this number were trimmed. */
    floor: column<number>(),
  },

  events: {
    stream: key<StreamName>(),
    seq: key<number>(),
    type: fixed<string>(),
    at: fixed<Instant>(),
    data: fixed<string | null>(null),
    ref_stream: fixed<StreamName | null>(null),
    ref_seq: fixed<number | null>(null),
  },

  receipts: {
    credential_id: key<string>(),
    operation: key<string>(),
    key: key<string>(),
    content_hash: fixed<string>(),
    answer: fixed<string>(),
    sealed: fixed<number>(),
    created_at: fixed<Instant>(),
  },

  projects: {
    id: key<string>(),
    name: column<string>(),
    path: column<string | null>(null),
    settings: column<string>(),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  agents: {
    id: key<string>(),
    name: column<string>(),
    protocol: column<'acp' | 'mcp'>(),
    command: column<string | null>(null),
    args: column<string>(),
    env: column<string>(),
    role: column<string | null>(null),
    max_processes: column<number | null>(null),
    hold_seconds: column<number>(),
    /** The label of the machines it may run on; null for any. */
    runs_on: column<string | null>(null),
    /** JSON: domain/agents/isolation.ts. */
    isolation: column<string>(),
    /** JSON: protocol/agents/report.ts. */
    report: column<string | null>(null),
    passkey_hash: column<string>(),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  assignments: {
    project_id: key<string>(),
    agent_id: key<string>(),
    isolation: column<string>(),
    created_at: fixed<Instant>(),
  },

  people: {
    id: key<string>(),
    name: fixed<string>(),
    role: column<'owner' | 'member' | 'viewer'>(),
    created_at: fixed<Instant>(),
  },

  /** All credentials besides the owner token: tokens of people and scripts, cookies of browsers. */
  credentials: {
    id: key<string>(),
    kind: fixed<'person' | 'browser' | 'script' | 'coordinator'>(),
    /** The responsible person: the holder of the token or browser, or its creator. */
    person_id: fixed<string>(),
    name: fixed<string>(),
    hash: fixed<string>(),
    scopes: fixed<string>(),
    created_by: fixed<string>(),
    created_at: fixed<Instant>(),
    expires_at: fixed<Instant | null>(null),
  },

  /** One-time sign-in links, stored as hashes and deleted when used. */
  sign_in_codes: {
    hash: key<string>(),
    person_id: fixed<string>(),
    expires_at: fixed<Instant>(),
  },

  /** A chat panel was opened: work for the agent until a session takes it (AS3). */
  pending_purposes: {
    agent_id: key<string>(),
    project_id: key<string>(),
    created_at: column<Instant>(),
  },

  /** Conversations between agents that a live agent session has written in: they are closed when it ends (CV10, AS9). */
  open_conversations: {
    agent_session_id: key<string>(),
    conversation_key: key<string>(),
  },

  agent_sessions: {
    id: key<string>(),
    agent_id: fixed<string>(),
    project_id: fixed<string>(),
    purpose: fixed<'chat' | 'task'>(),
    state: column<'active' | 'terminating' | 'ended'>(),
    launch_id: fixed<string | null>(null),
    token_hash: column<string>(),
    work_session_id: column<string | null>(null),
    created_at: fixed<Instant>(),
    last_activity_at: column<Instant>(),
    /** The last `respond_chat`; null before the first. */
    last_answer_at: column<Instant | null>(null),
    expires_at: column<Instant>(),
    terminating_at: column<Instant | null>(null),
    suspected_at: column<Instant | null>(null),
    ended_at: column<Instant | null>(null),
    end_reason: column<string | null>(null),
    /** The resumed work session whose context this one was handed (NA11). */
    resumed_work_session_id: column<string | null>(null),
    /** The conversation that a pulling agent holds. */
    context_id: column<string | null>(null),
  },

  /** Exit reports of processes that were already decided (PX6). */
  exit_reports: {
    /** The coordinator that reported: each has its own numbers. */
    reporter_id: key<string>(),
    report_id: key<string>(),
    created_at: fixed<Instant>(),
  },

  /** The newest epoch of a coordinator; reports from an older one are refused (PX6). */
  coordinator_epochs: {
    coordinator_id: key<string>(),
    epoch: column<number>(),
  },

  /** Work sessions, with the table name and columns of the specification (WK1). */
  ['sessions']: {
    id: key<string>(),
    project_id: fixed<string>(),
    parent_session_id: fixed<string | null>(null),
    started_at: fixed<Instant>(),
    ended_at: column<Instant | null>(null),
    /** null in an ended one means completed. */
    interruption_reason: column<string | null>(null),
    current_phase: column<number | null>(null),
    current_agent_role: column<string | null>(null),
    current_agent_type: column<string | null>(null),
    current_task_id: column<string | null>(null),
    context_summary: column<string | null>(null),
    owner_agent_session_id: column<string | null>(null),
    /** The newest work session resumed from it. */
    resumed_by: column<string | null>(null),
    resume_failures: column<number>(0),
    /** Why it is no longer resumed (RS3). */
    set_aside: column<string | null>(null),
    /** AR3: why an entry in its approaches.json was not imported. */
    file_problem: column<string | null>(null),
    /** JSON: the code and parameters beside `file_problem`. */
    notice: column<string | null>(null),
    /** The last error as JSON: `{code, message, at}`. */
    error: column<string | null>(null),
    /** When a person dismissed it (WK6). */
    dismissed_at: column<Instant | null>(null),
  },

  tasks: {
    project_id: key<string>(),
    id: key<string>(),
    /** null until an agent takes the task (WK4). */
    session_id: column<string | null>(null),
    phase: fixed<number>(),
    task_type: fixed<string>(),
    title: column<string>(),
    description: column<string | null>(null),
    status: column<'pending' | 'in_progress' | 'completed' | 'failed' | 'blocked'>(),
    progress_percent: column<number>(0),
    assigned_to: column<string | null>(null),
    /** A JSON list in the given order. */
    depends_on: column<string>(),
    /** The first unfinished dependency; null unless the task is blocked. */
    blocked_by: column<string | null>(null),
    started_at: column<Instant | null>(null),
    completed_at: column<Instant | null>(null),
    result: column<string | null>(null),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  /** The dependencies of tasks, one row for each entry of `depends_on`. */
  task_dependencies: {
    project_id: key<string>(),
    task_id: key<string>(),
    depends_on: key<string>(),
  },

  human_approvals: {
    id: key<number>(),
    session_id: fixed<string | null>(null),
    project_id: fixed<string>(),
    checkpoint_type: fixed<string>(),
    leader_id: fixed<string>(),
    task_id: fixed<string | null>(null),
    asked_by_agent_session_id: column<string | null>(null),
    /** The agent session that was last given the decision (AP8). */
    told_to: column<string | null>(null),
    /** The conversation in which it was requested, outside of work sessions. */
    conversation_key: fixed<string | null>(null),
    status: column<'pending' | 'approved' | 'rejected' | 'revision_requested'>('pending'),
    submitted_at: column<Instant>(),
    resolved_at: column<Instant | null>(null),
    decided_by: column<string | null>(null),
    feedback: column<string | null>(null),
    instruction_content: column<string | null>(null),
    worker_instructions: column<string>('[]'),
    artifacts: column<string>('[]'),
    revision_history: column<string>('[]'),
    /** AP7: the person that imported files name for a decision; null for decisions made here. */
    imported_decider: column<string | null>(null),
    /** The following columns are for permissions for tools (AP4) only. */
    outcome: column<PermissionOutcome | null>(null),
    digest: fixed<string | null>(null),
    options: fixed<string | null>(null),
    tool_call: fixed<string | null>(null),
    option_id: column<string | null>(null),
    /** The coordinator's name for the request, unique within the launch. */
    ask_id: fixed<string | null>(null),
    launch_id: fixed<string | null>(null),
    turn_id: fixed<string | null>(null),
    user_session_id: fixed<string | null>(null),
    role: fixed<string | null>(null),
    deadline: fixed<Instant | null>(null),
    /** Equal for repeated requests of the same call. */
    likeness: fixed<string | null>(null),
    /** AP13: an agent's question, and the answer to it. */
    question: fixed<string | null>(null),
    answer: column<string | null>(null),
  },

  /** How far a person has read a conversation. */
  seen_conversations: {
    person_id: key<string>(),
    conversation_key: key<string>(),
    seq: column<number>(),
  },

  panels: {
    project_id: key<string>(),
    agent_id: key<string>(),
    panel_id: key<string>(),
    seen_at: column<Instant>(),
  },

  // Secrets (SR).
  secrets: {
    project_id: key<string>(),
    name: key<string>(),
    /** JSON of a SealedValue. */
    sealed: column<string>(),
    given_as: column<SecretForm>(),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
    updated_by: column<string>(),
  },
  secret_agents: { project_id: key<string>(), name: key<string>(), agent_id: key<string>() },
  /** One row for each launch that was given the secret; the newest are kept. */
  secret_uses: {
    project_id: key<string>(),
    name: key<string>(),
    launch_id: key<string>(),
    agent_id: fixed<string>(),
    given_as: column<SecretUse['givenAs']>(),
    used_at: column<Instant>(),
  },

  ...channelTables,
  ...consoleTables,
  ...conversationTables,
  ...processTables,
  ...turnTables,
  ...workTables,
  ...worktreeTables,
  ...searchTables,
}

export type Tables = { [Name in keyof typeof tables]: RowOf<(typeof tables)[Name]> }
