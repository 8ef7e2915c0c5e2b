/** Chats and tasks of ACP agents (CH12): their prompts and answers. */
import type { Migration } from './migration.ts'

export const acpChats: Migration = {
  version: 6,
  name: 'spoken chats',
  statements: ({ text, clustered }) => [
    `create table chat_turns (
      id ${text} primary key,
      launch_id ${text} not null,
      agent_session_id ${text} not null,
      agent_id ${text} not null,
      project_id ${text} not null,
      about ${text} not null,
      conversation_key ${text},
      through_seq bigint,
      task_id ${text},
      content ${text} not null,
      state ${text} not null,
      error ${text},
      created_at ${text} not null,
      ended_at ${text}
    )`,
    "create index chat_turns_running on chat_turns (launch_id) where state = 'running'",
    'create index chat_turns_of_session on chat_turns (agent_session_id, created_at)',
    // A row for each piece of what is being said, gone when it is said whole.
    `create table turn_pieces (
      turn_id ${text} not null,
      n bigint not null,
      said ${text} not null,
      primary key (turn_id, n)
    ) ${clustered}`,
  ],
}
