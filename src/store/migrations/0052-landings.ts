/** 52: what was landed of conversations, step by step. */
import { plainSql } from './migration.ts'

export const landings = plainSql(
  ({ text }) => `
    create table landings (
      id ${text} primary key,
      conversation_key ${text} not null,
      project_id ${text} not null,
      coordinator_id ${text} not null,
      worktree_id ${text} not null,
      top ${text} not null,
      how ${text} not null,
      state ${text} not null,
      plan ${text} not null,
      result ${text},
      asked_by ${text} not null,
      asked_at ${text} not null,
      ended_at ${text}
    );
    create index landings_of_conversation on landings (conversation_key, asked_at);
    create index landings_open on landings (asked_at) where state in ('running', 'undoing');

    create table landing_steps (
      landing_id ${text} not null,
      n bigint not null,
      conversation_key ${text} not null,
      step ${text} not null,
      state ${text} not null,
      result ${text},
      begun_at ${text},
      ended_at ${text},
      primary key (landing_id, n)
    );
    create index landing_steps_of_conversation on landing_steps (conversation_key);
  `,
)
