/** 59: AH3: what a person's editor calls a session that it began. */
import { plainSql } from './migration.ts'

export const threadNames = plainSql(
  ({ text }) => `
    create table session_names (
      person_id ${text} not null,
      name ${text} not null,
      conversation_key ${text} not null,
      created_at ${text} not null,
      primary key (person_id, name)
    );
    create index session_names_by_key on session_names (conversation_key);
  `,
)
