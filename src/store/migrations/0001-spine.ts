/** The tables everything stands on: log, receipts, projects, agents, people, credentials. */
import type { Migration } from './migration.ts'

export const spine: Migration = {
  version: 1,
  name: 'spine',
  statements: ({ text, clustered }) => [
    `create table streams (
      name ${text} primary key,
      head bigint not null,
      floor bigint not null
    ) ${clustered}`,
    `create table events (
      stream ${text} not null,
      seq bigint not null,
      type ${text} not null,
      at ${text} not null,
      data ${text},
      ref_stream ${text},
      ref_seq bigint,
      primary key (stream, seq)
    ) ${clustered}`,
    `create table receipts (
      credential_id ${text} not null,
      operation ${text} not null,
      key ${text} not null,
      content_hash ${text} not null,
      answer ${text} not null,
      sealed integer not null,
      created_at ${text} not null,
      primary key (credential_id, operation, key)
    ) ${clustered}`,
    'create index receipts_by_age on receipts (created_at)',
    `create table projects (
      id ${text} primary key,
      name ${text} not null,
      path ${text},
      settings ${text} not null,
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create index projects_newest on projects (created_at, id)',
    `create table agents (
      id ${text} primary key,
      name ${text} not null,
      protocol ${text} not null,
      command ${text},
      args ${text} not null,
      env ${text} not null,
      role ${text},
      max_processes integer,
      hold_seconds integer not null,
      passkey_hash ${text} not null unique,
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create index agents_newest on agents (created_at, id)',
    `create table assignments (
      project_id ${text} not null references projects (id),
      agent_id ${text} not null references agents (id),
      created_at ${text} not null,
      primary key (project_id, agent_id)
    )`,
    'create index assignments_of_agent on assignments (agent_id)',
    `create table people (
      id ${text} primary key,
      name ${text} not null,
      role ${text} not null,
      created_at ${text} not null
    )`,
    'create index people_newest on people (created_at, id)',
    // The owner of the installation is no row of people, so person_id refers to none.
    `create table credentials (
      id ${text} primary key,
      kind ${text} not null,
      person_id ${text} not null,
      name ${text} not null,
      hash ${text} not null unique,
      scopes ${text} not null,
      created_by ${text} not null,
      created_at ${text} not null,
      expires_at ${text}
    )`,
    'create index credentials_of_person on credentials (person_id)',
    'create index credentials_newest on credentials (created_at, id)',
    'create index credentials_by_expiry on credentials (expires_at)',
    `create table sign_in_codes (
      hash ${text} primary key,
      person_id ${text} not null,
      expires_at ${text} not null
    )`,
    'create index sign_in_codes_by_expiry on sign_in_codes (expires_at)',
  ],
}
