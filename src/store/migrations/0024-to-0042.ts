/**
 * How the schema came from version 23 to 42. Never changed: databases of each version are opened.
 */
import type { Step } from './migration.ts'

const withNotice = [
  'turns',
  'contexts',
  'user_sessions',
  'worktrees',
  'channels',
  'channel_chats',
  'messages',
  'sessions',
]

export const versions24To42: readonly Step[] = [
  /** 24: Agents in roles whose process was ended and comes back for what waits (AG7). */
  ({ added }) => [
    ...added('role_agents', 'asleep_at?'),
    'create index role_agents_asleep on role_agents (asleep_at) where asleep_at is not null',
  ],
  /**
   * 25: CX5: how the agent of a process names itself, by which its way to speak of errors is known.
   */
  ({ added }) => added('launches', 'agent_name?'),
  /**
   * 26: CX9: where a conversation works, the worktrees of conversations in the register, and a turn
   * that a person has begin beside another. Conversations that are there stay in the project's own
   * folder.
   */
  ({ added }) => [
    ...added('conversations', 'workplace?'),
    ...added('worktrees', 'conversation_key?'),
    'create index worktrees_of_conversation on worktrees (conversation_key, created_at) where conversation_key is not null',
    ...added('turns', 'begins_beside:bigint=0'),
    "create index turns_running_at on turns (project_id) where state = 'running'",
    // Their beginning: a whole path may be longer than PostgreSQL takes into an index.
    'create index projects_by_path on projects (substr(path, 1, 200)) where path is not null',
  ],
  /**
   * 27: HT7: the code and parameters of what a launch's detail tells, beside its English words.
   * Rows of before have the words alone.
   */
  ({ added }) => added('launches', 'notice?'),
  /**
   * 28: SB1: how the processes of an agent are isolated, of its entry and of its assignment to a
   * project. Existing ones stay without a sandbox.
   */
  ({ added }) => [...added('agents', "isolation='{}'"), ...added('assignments', "isolation='{}'")],
  /**
   * 29: HT7: the code and parameters beside the English words of turns, contexts, roles, user
   * sessions, worktrees, channels and messages. `notices` is by field, where a row has several
   * texts. Rows of before have the words alone.
   */
  ({ added }) => [
    ...withNotice.flatMap((table) => added(table, 'notice?')),
    ...added('role_agents', 'notices?'),
  ],
  /**
   * 30: UI1: how far each person has read each conversation; all that is there counts as read. And
   * who gave a conversation its title.
   */
  ({ added, clustered, columns }) => [
    ...added('conversations', 'titled_by?'),
    `create table seen_conversations (${columns(`
      person_id conversation_key seq:bigint`)}, primary key (person_id, conversation_key)) ${clustered}`,
    `insert into seen_conversations (person_id, conversation_key, seq)
      select people.id, messages.conversation_key, max(messages.seq) from people cross join messages
      group by people.id, messages.conversation_key`,
  ],
  /**
   * 31: SR1: secrets of projects, sealed, with the agents they are given to; and each use of one.
   */
  ({ clustered, columns }) => [
    `create table secrets (${columns(`
      project_id name sealed given_as created_at updated_at updated_by`)}, primary key (project_id, name)) ${clustered}`,
    `create table secret_agents (${columns('project_id name agent_id')}, primary key (project_id, name, agent_id)) ${clustered}`,
    'create index secret_agents_of on secret_agents (agent_id)',
    `create table secret_uses (${columns(`
      project_id name launch_id agent_id given_as used_at`)}, primary key (project_id, name, launch_id)) ${clustered}`,
    'create index secret_uses_newest on secret_uses (project_id, name, used_at)',
  ],
  /** 32: AP13: questions of agents are approvals with a question and its answer. */
  ({ added }) => added('human_approvals', 'question? answer?'),
  /** 33: The commands that the agent of a chat offers, for pages that are opened later. */
  ({ added }) => added('contexts', 'commands?'),
  /**
   * 34: FS7, FS8: the files before and after each turn, rewinds and forks with their result, and
   * the messages that a rewind took back.
   */
  ({ added, columns }) => [
    `create table turn_files (${columns(`
      turn_id* conversation_key project_id coordinator_id top? before_state? after_state? changes? left_out? from_seq:bigint
      kept_after:bigint rewound_by? created_at`)})`,
    'create index turn_files_of_conversation on turn_files (conversation_key, created_at)',
    'create index turn_files_by_age on turn_files (created_at) where before_state is not null',
    `create table file_operations (${columns(`
      id* kind state conversation_key turn_id project_id coordinator_id top ask result? asked_by asked_at ended_at?`)})`,
    "create index file_operations_open on file_operations (asked_at) where state = 'asked'",
    'create index file_operations_of_conversation on file_operations (conversation_key, asked_at)',
    ...added('messages', 'rewound_by?'),
    ...added('conversations', 'forked_from?'),
  ],
  /** 35: AG13: what `agents doctor` found out about an agent. Existing ones were never probed. */
  ({ added }) => added('agents', 'report?'),
  /**
   * 36: GW5: what requests through a gateway have used, by launch, turn and model. `turn_id` is
   * empty outside a turn.
   */
  ({ clustered, columns }) => [
    `create table model_usage (${columns(`
      launch_id turn_id model project_id agent_id requests:bigint finished:bigint input_tokens:bigint output_tokens:bigint
      cached_tokens:bigint updated_at`)}, primary key (launch_id, turn_id, model)) ${clustered}`,
    "create index model_usage_of_turn on model_usage (turn_id) where turn_id <> ''",
    'create index model_usage_of_project on model_usage (project_id, agent_id, model)',
  ],
  /**
   * 37: AG14: what the agent of a chat offers and what people chose of it. Existing chats report it
   * when they are next opened.
   */
  ({ added }) => added('contexts', 'offers?'),
  /**
   * 38: What an ACP agent sent that nobody knows (AC10), whether it has connected to Holdfast's
   * tools (AC11), and the ACP session that a context begins as a fork of (AC12). None is known of
   * existing rows. ACP sessions of ended contexts are closed from now on.
   */
  ({ added }) => [
    ...added('launches', 'unknown? tools?'),
    ...added('contexts', 'fork_of?'),
    "update contexts set acp_session_id = null where state = 'ended'",
    "create index contexts_left on contexts (agent_id) where state = 'ended' and acp_session_id is not null",
  ],
  /**
   * 39: CX4: the folder that a process was started in. Processes of before are taken to be where
   * their project is.
   */
  ({ added }) => added('launches', 'folder?'),
  /** 40: CV7: the fields of a conversation's file that are not ours. */
  ({ added }) => added('conversations', 'extra?'),
  /**
   * 41: CV14, CX17: who wrote a summary, unknown of those of before; and the role as the name of
   * what a person put in for another.
   */
  ({ added }) => [
    ...added('conversations', 'summary_by?'),
    ...added('chapters', 'summary_by?'),
    `update messages set sender_name = role
      where role <> 'user' and sender_name is null and (sender_id = 'owner' or sender_id in (select id from people))`,
  ],
  /**
   * 42: US8: the folders below which a role's absolute workspace may be, besides its project's and
   * its console's.
   */
  ({ added }) => added('role_agents', 'workspace_roots?'),
]
