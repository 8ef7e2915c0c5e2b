/**
 * How the schema came from version 11 to 21. Never changed: databases of each version are opened.
 */
import type { Step } from './migration.ts'

export const versions12To21: readonly Step[] = [
  /** 12: Channels: who is served on them, and what is to be sent there (CN1, CN2). */
  ({ added, clustered, columns }) => [
    // /stop in a chat: a turn that is to be cancelled still is when its coordinator comes back.
    ...added('chat_turns', 'cancel_ordered_at?'),
    `create table channels (${columns(`
      channel* state trouble? since name? link? project_id? agent_id? holder? held_until? last_in_at? last_out_at?`)})`,
    `create table channel_chats (${columns(`
      channel chat_id kind title handle? language state project_id? agent_id? attempts:bigint asked_at decided_at? decided_by?
      last_in_at? last_out_at? trouble?`)}, primary key (channel, chat_id)) ${clustered}`,
    'create index channel_chats_newest on channel_chats (channel, asked_at, chat_id)',
    "create index channel_chats_asking on channel_chats (channel, asked_at) where state = 'asking'",
    `create table pairing_codes (${columns(`
      channel hash created_by created_at expires_at`)}, primary key (channel, hash)) ${clustered}`,
    `create table outgoing (${columns(`
      channel chat_id n:bigint content parts_sent:bigint state maybe_sent:bigint attempts:bigint not_before created_at
    `)}, primary key (channel, chat_id, n)) ${clustered}`,
  ],
  /**
   * 13: Where agents run (SC4): what a machine is like and how much it takes, and what an agent
   * asks for.
   */
  ({ added }) => [
    ...added('coordinators', "labels='[]' capacity:integer?"),
    ...added('agents', 'runs_on?'),
  ],
  /**
   * 14: The register of worktrees, what makes a fresh one runnable, and questions to coordinators
   * (WT).
   */
  ({ clustered, columns }) => [
    `create table worktrees (${columns(`
      id* project_id user_session_id account_id role agent_id coordinator_id kind folder top branch? base_branch? note?
      set_up? created_at last_used_at removed_at? removed_by?`)})`,
    // A place is in the register once.
    'create unique index worktrees_places on worktrees (coordinator_id, top) where removed_at is null',
    'create index worktrees_of_project on worktrees (project_id, created_at, id)',
    'create index worktrees_of_role on worktrees (user_session_id, role, created_at)',
    `create table set_ups (${columns('project_id* command copy')})`,
    `create table questions (${columns(`
      id* coordinator_id epoch:bigint kind ask project_id worktree_id? asked_by asked_at deadline answered_at?`)})`,
    'create index questions_open on questions (coordinator_id, deadline) where answered_at is null',
    'create index questions_oldest on questions (asked_at)',
    `create table question_answers (${columns('question_id part:bigint said')}, primary key (question_id, part)) ${clustered}`,
  ],
  /**
   * 15: AG6: agents that are at their vendor's limit, until when, and whether they go on by
   * themselves then.
   */
  ({ added }) => [
    ...added('role_agents', 'limited_until? limited_turn_id? goes_on_by? goes_on_left:bigint=0'),
    'create index role_agents_limited on role_agents (limited_until) where limited_until is not null',
  ],
  /**
   * 16: AG6 in chats: agents that could not answer in one because of their vendor's limit, until
   * when, and whether they go on by themselves then.
   */
  ({ columns }) => [
    `create table chat_limits (${columns(`
      conversation_key* project_id agent_id held limited_until? goes_on_by? goes_on_left:bigint`)})`,
    'create index chat_limits_due on chat_limits (limited_until) where limited_until is not null',
  ],
  /** 17: CO4: what launches wrote long ago is found without looking at all that have ever been. */
  () => ["create index launches_with_output on launches (ended_at) where output <> ''"],
  /**
   * 18: AP7: whom the files name that a decision was brought back from; nothing for what was
   * decided here.
   */
  ({ added }) => added('human_approvals', 'imported_decider?'),
  /**
   * 19: AP8, WK5, WK6: which agent session was told of a decision, work that a person has
   * dismissed, and the indexes by which the next task of a plan and the approvals about a task are
   * found.
   */
  ({ added }) => [
    ...added('human_approvals', 'told_to?'),
    // An agent that asked and is still there has read the decision; a session that comes later is
    // told.
    "update human_approvals set told_to = asked_by_agent_session_id where status <> 'pending'",
    'create index approvals_about_task on human_approvals (project_id, task_id, id) where task_id is not null',
    ...added('sessions', 'dismissed_at?'),
    "create index tasks_pending on tasks (session_id, assigned_to, phase, created_at, id) where status = 'pending'",
    'create index tasks_begun on tasks (session_id) where started_at is not null',
  ],
  /**
   * 20: SE12: says of a store that is not new that plain values of agents' environments may be in
   * it, so that the next start seals them.
   */
  () => [
    "insert into meta (key, value) select 'plain_values', 'kept' where exists (select 1 from streams)",
  ],
  /**
   * 21: Files that stay full: the state of work as it ended (CK6), why a changed file was not taken
   * in (AR3), fields of messages that are not ours (CV7), which message another is the same as
   * (CV1).
   */
  ({ added }) => [
    ...added('checkpoints', 'state?'),
    ...added('sessions', 'file_problem?'),
    ...added('messages', 'extra? copy_of:bigint?'),
  ],
]
