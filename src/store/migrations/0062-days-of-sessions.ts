/**
 * 62: DC3: on which days something was asked in a session, for the notes of those days. What was
 * asked before is in no note.
 */
import { plainSql } from './migration.ts'

export const daysOfSessions = plainSql(
  ({ text }) => `
    create table thread_days (
      day ${text} not null,
      conversation_key ${text} not null,
      note_seq bigint,
      removed bigint not null,
      primary key (day, conversation_key)
    );
    create index thread_days_by_key on thread_days (conversation_key);
    create index thread_days_not_noted on thread_days (day, conversation_key)
      where note_seq is null;
  `,
)
