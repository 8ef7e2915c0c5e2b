/** 55: tokens for hosts, and the addresses that work is pushed to. */
import { plainSql } from './migration.ts'

export const hosts = plainSql(
  ({ text }) => `
    create table host_tokens (
      host ${text} not null,
      person_id ${text} not null,
      project_id ${text} not null,
      kind ${text} not null,
      api ${text} not null,
      sealed ${text} not null,
      account ${text},
      set_by ${text} not null,
      set_at ${text} not null,
      primary key (host, person_id, project_id)
    );

    create table project_remotes (
      project_id ${text} primary key,
      address ${text} not null,
      set_by ${text} not null,
      set_at ${text} not null
    );
  `,
)
