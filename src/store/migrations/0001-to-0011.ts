/**
 * How the schema came from version 0 to 11. Never changed: databases of each version are opened.
 */
import type { Step } from './migration.ts'

export const versions1To11: readonly Step[] = [
  /** 1: The tables everything stands on: log, receipts, projects, agents, people, credentials. */
  ({ clustered, columns, text }) => [
    `create table streams (${columns('name* head:bigint floor:bigint')}) ${clustered}`,
    `create table events (${columns(`
      stream seq:bigint type at data? ref_stream? ref_seq:bigint?`)}, primary key (stream, seq)) ${clustered}`,
    `create table receipts (${columns(`
      credential_id operation key content_hash answer sealed:integer created_at
    `)}, primary key (credential_id, operation, key)) ${clustered}`,
    'create index receipts_by_age on receipts (created_at)',
    `create table projects (${columns('id* name path? settings created_at updated_at')})`,
    'create index projects_newest on projects (created_at, id)',
    `create table agents (${columns(`
      id* name protocol command? args env role? max_processes:integer? hold_seconds:integer passkey_hash! created_at
      updated_at`)})`,
    'create index agents_newest on agents (created_at, id)',
    `create table assignments (
      project_id ${text} not null references projects (id),
      agent_id ${text} not null references agents (id),
      created_at ${text} not null,
      primary key (project_id, agent_id)
    )`,
    'create index assignments_of_agent on assignments (agent_id)',
    `create table people (${columns('id* name role created_at')})`,
    'create index people_newest on people (created_at, id)',
    // The owner of the installation is no row of people, so person_id refers to none.
    `create table credentials (${columns('id* kind person_id name hash! scopes created_by created_at expires_at?')})`,
    'create index credentials_of_person on credentials (person_id)',
    'create index credentials_newest on credentials (created_at, id)',
    'create index credentials_by_expiry on credentials (expires_at)',
    `create table sign_in_codes (${columns('hash* person_id expires_at')})`,
    'create index sign_in_codes_by_expiry on sign_in_codes (expires_at)',
  ],
  /**
   * 2: Conversations, tasks, work sessions, approvals and the sessions of agents that pull their
   * work.
   */
  ({ clustered, columns }) => [
    `create table conversations (${columns(`
      key* project_id? agent_id? state summary summary_through:bigint kept_after:bigint unsummarised_chars:bigint
      message_count:bigint flags created_at updated_at`)})`,
    'create index conversations_newest on conversations (updated_at, key)',
    `create table messages (${columns(`
      conversation_key seq:bigint id! role sender_id receiver_id? content visible:integer priority project_id?
      related_task_id? related_handoff_id? client_id? tool_calls? tool_call_id? media? created_at
    `)}, primary key (conversation_key, seq)) ${clustered}`,
    // CH3: the same client id of the same sender is the same message, in each conversation it went
    // to.
    'create unique index messages_by_client on messages (sender_id, client_id, conversation_key) where client_id is not null',
    `create table unread_messages (${columns(`
      agent_id project_id conversation_key seq:bigint priority_rank:integer created_at chars:bigint delivered_to?
    `)}, primary key (agent_id, project_id, conversation_key, seq)) ${clustered}`,
    `create table pending_purposes (${columns(`
      agent_id project_id created_at`)}, primary key (agent_id, project_id)) ${clustered}`,
    // CV10: what an agent session has written in between agents, so that it can be closed with it
    // (AS9).
    `create table open_conversations (${columns(`
      agent_session_id conversation_key`)}, primary key (agent_session_id, conversation_key)) ${clustered}`,
    `create table agent_sessions (${columns(`
      id* agent_id project_id purpose state launch_id? token_hash! work_session_id? created_at last_activity_at
      last_answer_at? expires_at terminating_at? suspected_at? ended_at? end_reason? resumed_work_session_id?`)})`,
    // AS4: at most one live session per agent, project and purpose.
    "create unique index agent_sessions_live on agent_sessions (agent_id, project_id, purpose) where state <> 'ended'",
    "create index agent_sessions_by_expiry on agent_sessions (expires_at) where state <> 'ended'",
    "create index agent_sessions_terminating on agent_sessions (terminating_at) where state = 'terminating'",
    "create index agent_sessions_suspected on agent_sessions (suspected_at) where state <> 'ended' and suspected_at is not null",
    "create index agent_sessions_at_work on agent_sessions (work_session_id) where state <> 'ended'",
    'create index agent_sessions_newest on agent_sessions (created_at, id)',
    'create index agent_sessions_of_agent on agent_sessions (agent_id, created_at, id)',
    'create index agent_sessions_of_project on agent_sessions (project_id, created_at, id)',
    // PX6: ids are their reporter's own.
    `create table exit_reports (${columns(`
      reporter_id report_id created_at`)}, primary key (reporter_id, report_id)) ${clustered}`,
    'create index exit_reports_oldest on exit_reports (created_at)',
    `create table coordinator_epochs (${columns('coordinator_id* epoch:bigint')})`,
    `create table sessions (${columns(`
      id* project_id parent_session_id? started_at ended_at? interruption_reason? current_phase:integer? current_agent_role?
      current_agent_type? current_task_id? context_summary? owner_agent_session_id?`)})`,
    'create index sessions_newest on sessions (project_id, started_at, id)',
    'create index sessions_running on sessions (project_id, id) where ended_at is null',
    'create index sessions_of_parent on sessions (parent_session_id, started_at, id)',
    `create table tasks (${columns(`
      project_id id session_id? phase:integer task_type title description? status progress_percent:integer assigned_to?
      depends_on blocked_by? started_at? completed_at? result? created_at updated_at`)}, primary key (project_id, id))`,
    'create index tasks_newest on tasks (project_id, created_at, id)',
    'create index tasks_by_status on tasks (project_id, status, created_at, id)',
    'create index tasks_of_session on tasks (session_id, created_at, id)',
    "create index tasks_in_progress on tasks (assigned_to, project_id) where status = 'in_progress'",
    // What `depends_on` says, one row each, so that who waits for a task is found without reading
    // every task.
    `create table task_dependencies (${columns(`
      project_id task_id depends_on`)}, primary key (project_id, task_id, depends_on)) ${clustered}`,
    'create index tasks_that_wait on task_dependencies (project_id, depends_on, task_id)',
    `create table human_approvals (${columns(`
      id:bigint* session_id? project_id checkpoint_type leader_id task_id? asked_by_agent_session_id? status submitted_at
      resolved_at? decided_by? feedback? instruction_content? worker_instructions artifacts revision_history`)})`,
    "create index approvals_pending on human_approvals (submitted_at, id) where status = 'pending'",
    "create index approvals_pending_of_project on human_approvals (project_id, leader_id, id) where status = 'pending'",
    "create index approvals_pending_of_agent_session on human_approvals (asked_by_agent_session_id, id) where status = 'pending'",
    'create index approvals_of_project on human_approvals (project_id, id)',
    'create index approvals_of_agent_session on human_approvals (asked_by_agent_session_id, resolved_at)',
    'create index approvals_of_session on human_approvals (session_id, id)',
  ],
  /** 3: Coordinators, the launches they were ordered, and the chat panels that are open. */
  ({ clustered, columns }) => [
    // CO6: which instance of it counts, and which of its facts are stored; its epoch is in
    // coordinator_epochs, as foreign ones' are.
    `create table coordinators (${columns(`
      id* machine state instance last_fact:bigint version boot_id pid:bigint joined_at last_heard_at`)})`,
    `create table launches (${columns(`
      id* agent_id project_id coordinator_id state token_hash?! pid:bigint? birth? ordered_at started_at? stop_ordered_at?
      stop_reason? ended_at? exit_code:bigint? signal? reason? detail? output ready_at?`)})`,
    "create index launches_live_of_pair on launches (agent_id, project_id) where state <> 'ended'",
    "create index launches_live_of_coordinator on launches (coordinator_id, ordered_at, id) where state <> 'ended'",
    "create index launches_spoken_to on launches (project_id, id) where ready_at is not null and state <> 'ended'",
    'create index launches_newest on launches (ordered_at, id)',
    'create index launches_of_pair on launches (agent_id, project_id, ended_at)',
    // CH5: a chat is closed with its last panel; one that was not seen for a minute counts as
    // closed.
    `create table panels (${columns(`
      project_id agent_id panel_id seen_at`)}, primary key (project_id, agent_id, panel_id)) ${clustered}`,
    'create index panels_oldest on panels (seen_at)',
    'create index panels_by_name on panels (panel_id)',
    'create index agent_sessions_of_launch on agent_sessions (launch_id) where launch_id is not null',
  ],
  /**
   * 4: User sessions with their agents by role, what was said to these, and the permissions they
   * ask for (US, AG, AP4).
   */
  ({ added, columns }) => [
    `create table user_sessions (${columns(`
      id* project_id account_id state created_at last_active_at attached_until terminated_at? terminate_reason?
      terminate_request_id? agents_terminated:bigint closed_seq:bigint?`)})`,
    "create index user_sessions_newest on user_sessions (created_at, id) where state = 'ACTIVE'",
    "create index user_sessions_attached on user_sessions (attached_until) where state = 'ACTIVE'",
    'create index user_sessions_closing on user_sessions (terminated_at) where terminated_at is not null and closed_seq is null',
    `create table role_agents (${columns(`
      id* user_session_id project_id role agent_id state launch_id? work_session_id? workspace_wanted? workspace? branch?
      note? acp_session_id? opened_at? load_acp_session_id? not_restored? offers error? step? exit_code:bigint? signal?
      created_at last_active_at terminating_at? terminate_reason? terminate_request_id? terminated_seq:bigint?`)})`,
    // US2: whatever else goes wrong, a role is never held by two.
    "create unique index role_agents_occupied on role_agents (user_session_id, role) where state <> 'TERMINATED'",
    'create index role_agents_by_role on role_agents (user_session_id, role, created_at)',
    "create index role_agents_terminating on role_agents (terminating_at) where terminating_at is not null and state <> 'TERMINATED'",
    "create index role_agents_spawning on role_agents (created_at) where state = 'SPAWNING'",
    'create index role_agents_at_work on role_agents (work_session_id, created_at) where work_session_id is not null',
    `create table turns (${columns(`
      id* user_session_id role_agent_id role launch_id state content answer cut:bigint stop_reason? error? asked_by
      asked_seq:bigint started_seq:bigint? ended_seq:bigint? created_at started_at? ended_at? cancel_ordered_at?
      cancel_request_id?`)})`,
    "create index turns_open on turns (role_agent_id, asked_seq) where state in ('queued', 'running')",
    'create index turns_over on turns (user_session_id, ended_seq) where ended_seq is not null',
    ...added('launches', 'role_agent_id?'),
    ...added(
      'human_approvals',
      'outcome? digest? options? tool_call? option_id? ask_id? launch_id? turn_id? user_session_id? role? deadline?',
    ),
    'create unique index human_approvals_asked on human_approvals (launch_id, ask_id) where ask_id is not null',
    'create index human_approvals_of_turn on human_approvals (turn_id) where turn_id is not null',
    "create index human_approvals_deadlines on human_approvals (deadline) where deadline is not null and status = 'pending'",
  ],
  /**
   * 5: The tables for continuing work after an interruption: approaches, checkpoints, artifacts,
   * and the columns of resuming.
   */
  ({ added, clustered, columns }) => [
    // The newest work session that was resumed from it; nobody is offered to resume it again then.
    ...added('sessions', 'resumed_by?'),
    // RS3: how often it could not be resumed, and why it is not tried any more.
    ...added('sessions', 'resume_failures:integer=0 set_aside?'),
    // CK2: the last error, as JSON.
    ...added('sessions', 'error?'),
    'create index sessions_to_resume on sessions (started_at, id) where interruption_reason is not null and resumed_by is null',
    // RS1: what is carried over, without reading what is done.
    "create index tasks_unfinished on tasks (session_id, created_at, id) where status <> 'completed' and status <> 'failed'",
    `create table approaches (${columns(`
      project_id id session_id kind first_kind number:bigint date category description details? evidence? learnings
      reusable:integer failure_reason? error? avoid:integer priority? next_to_try:integer note? history recorded_at updated_at
    `)}, primary key (project_id, id))`,
    'create index approaches_by_number on approaches (project_id, first_kind, number)',
    'create index approaches_of_session on approaches (session_id, recorded_at, id)',
    // RS4: each of the lists that an agent is told, newest first, without reading those that are in
    // none.
    "create index approaches_verified on approaches (session_id, updated_at, id) where kind = 'verified'",
    "create index approaches_to_avoid on approaches (session_id, updated_at, id) where kind = 'failed' and avoid = 1",
    "create index approaches_failed on approaches (session_id, updated_at, id) where kind = 'failed' and avoid = 0",
    "create index approaches_to_try on approaches (session_id, updated_at, id) where kind = 'untried' and next_to_try = 1",
    `create table checkpoints (${columns(`
      session_id number:bigint at reason subject? error?`)}, primary key (session_id, number)) ${clustered}`,
    `create table artifacts (${columns(`
      session_id name folded_name upload_id size:bigint media_type sha256 created_at updated_at
    `)}, primary key (session_id, name))`,
    // The mirror may lie on a disk that does not tell A from a.
    'create unique index artifacts_by_folded_name on artifacts (session_id, folded_name)',
    // There while bytes arrive and no artifact has them yet.
    `create table uploads (${columns('id* created_at')})`,
    'create index uploads_oldest on uploads (created_at)',
    `create table upload_parts (${columns('upload_id number:bigint bytes')}, primary key (upload_id, number)) ${clustered}`,
  ],
  /** 6: Chats and tasks of ACP agents (CH12): their prompts and answers. */
  ({ clustered, columns }) => [
    `create table chat_turns (${columns(`
      id* launch_id agent_session_id agent_id project_id about conversation_key? through_seq:bigint? task_id? content state
      error? created_at ended_at?`)})`,
    "create index chat_turns_running on chat_turns (launch_id) where state = 'running'",
    'create index chat_turns_of_session on chat_turns (agent_session_id, created_at)',
    // A row for each piece of what is being said, gone when it is said whole.
    `create table turn_pieces (${columns('turn_id n:bigint said')}, primary key (turn_id, n)) ${clustered}`,
  ],
  /** 7: Allowances that a person has given an agent for a time (AG6). */
  ({ added, columns }) => [
    `create table allowances (${columns(`
      id* project_id agent_id scope tool_kind title folder? likeness? approval_id:bigint created_by created_at expires_at
      revoked_at? revoked_by?`)})`,
    'create index allowances_in_force on allowances (project_id, agent_id, expires_at) where revoked_at is null',
    'create index allowances_of_giver on allowances (created_by) where revoked_at is null',
    'create index allowances_of_agent on allowances (agent_id) where revoked_at is null',
    'create index allowances_newest on allowances (project_id, created_at, id)',
    ...added('human_approvals', 'likeness?'),
  ],
  /**
   * 8: Which conversation has which name for its file (CV6): two that a file system would take for
   * one never share it.
   */
  ({ clustered, columns }) => [
    `create table conversation_names (${columns('name conversation_key!')}, primary key (name)) ${clustered}`,
    // The chats there are, whose ids are plain ASCII; whatever else was begun before has a name
    // with a digest.
    `insert into conversation_names (name, conversation_key)
      select lower(replace(key, ':', '_')), min(key) from conversations
      where key like 'web:%' or key like 'agent:%'
      group by lower(replace(key, ':', '_'))`,
  ],
  /** 9: Which node does what only one needs to do (SC5). A second that does it too does no harm. */
  ({ columns }) => [`create table leases (${columns('name* holder held_until')})`],
  /** 10: The search index over all messages (DC5). A background job indexes existing messages. */
  ({ clustered, columns, search: { createTerms } }) => [
    `create table search_documents (${columns('id:bigint* conversation_key seq:bigint')}) ${clustered}`,
    'create unique index search_documents_of on search_documents (conversation_key, seq)',
    `create table search_positions (${columns('conversation_key* through:bigint')}) ${clustered}`,
    ...createTerms,
  ],
  /**
   * 11: The days of conversations (DC): the open chapter of each, the closed ones, and the notes
   * that are made of them.
   */
  ({ added, clustered, columns }) => [
    ...added(
      'conversations',
      'chapter_day? chapter_due_at? chapter_after:bigint=0 chapter_messages:bigint=0',
    ),
    // What was said before there were days is one chapter, of the day it was touched last; it is
    // due.
    `update conversations set chapter_day = substr(updated_at, 1, 10), chapter_due_at = updated_at,
      chapter_messages = message_count
      where exists (select 1 from messages where messages.conversation_key = conversations.key)`,
    'create index conversations_by_due on conversations (chapter_due_at, key) where chapter_due_at is not null',
    `create table chapters (${columns(`
      conversation_key day after_seq:bigint through_seq:bigint message_count:bigint summary closed_at note_seq:bigint?
      removed:integer`)}, primary key (conversation_key, day)) ${clustered}`,
    'create index chapters_of_day on chapters (day, conversation_key)',
    // Those that no note knows of yet: few, and gone from here within seconds.
    'create index chapters_not_noted on chapters (day, conversation_key) where note_seq is null',
    `create table notes (${columns(`
      day* conversations:bigint messages:bigint seq:bigint written_seq:bigint problem? updated_at`)})`,
    // DC2, DC6: whether a turn runs in a conversation.
    'create index unread_delivered on unread_messages (conversation_key) where delivered_to is not null',
    "create index chat_turns_running_in on chat_turns (conversation_key) where state = 'running'",
  ],
]
