/**
 * 50: what each person has settled and archived of a conversation, beside how far it is read; the
 * number of its newest visible message, and the time of its newest turn, by which it is listed; and
 * the agent's title beside one that a person gave.
 */
import { plainSql } from './migration.ts'

export const marksOfPeople = plainSql(
  ({ text }) => `
    alter table seen_conversations add column settled_seq bigint not null default 0;
    alter table seen_conversations add column archived_seq bigint;

    alter table conversations add column last_seq bigint not null default 0;
    update conversations set last_seq = coalesce((
      select max(seq) from messages
        where conversation_key = conversations.key and visible = 1), 0);

    alter table conversations add column last_turn_at ${text} not null default '';
    update conversations set last_turn_at = coalesce((
      select max(created_at) from turns where conversation_key = conversations.key), updated_at);
    drop index conversations_newest;
    create index conversations_newest on conversations (last_turn_at, key);
    create index conversations_of_project on conversations (project_id, last_turn_at, key);
    create index conversations_of_agent on conversations (agent_id, last_turn_at, key);
    create index conversations_of_pair
      on conversations (project_id, agent_id, last_turn_at, key);

    alter table conversations add column agent_title ${text};
    update conversations set agent_title = title where titled_by is null;
  `,
)
