/**
 * 56: IM5: sessions that agents keep in files of their own can be taken in: which were, and in
 * which sessions of agents something ran here. Messages of those are unread by nobody.
 */
import { plainSql } from './migration.ts'

export const importedSessions = plainSql(
  ({ text }) => `
    create table imported_sessions (
      account_id ${text} not null,
      agent ${text} not null,
      source_id ${text} not null,
      conversation_key ${text} not null,
      title ${text} not null,
      machine ${text},
      folder ${text},
      mark ${text},
      state ${text} not null,
      created_at ${text} not null,
      updated_at ${text} not null,
      primary key (account_id, agent, source_id)
    );
    create index imported_sessions_listed on imported_sessions
      (account_id, created_at, conversation_key);
    create unique index imported_sessions_by_key on imported_sessions (conversation_key);

    create table agent_session_ids (
      id ${text} not null primary key,
      conversation_key ${text} not null
    );
    insert into agent_session_ids (id, conversation_key)
      select acp_session_id, min(conversation_key) from contexts
      where acp_session_id is not null group by acp_session_id;

    alter table conversations add column read_through integer not null default 0;
  `,
)
