/** SR1: secrets of projects, sealed, with the agents they are given to; and each use of one. */
import type { Migration } from './migration.ts'

export const secrets: Migration = {
  version: 31,
  name: 'secrets',
  statements: ({ text, clustered }) => [
    `create table secrets (
      project_id ${text} not null,
      name ${text} not null,
      sealed ${text} not null,
      given_as ${text} not null,
      created_at ${text} not null,
      updated_at ${text} not null,
      updated_by ${text} not null,
      primary key (project_id, name)
    ) ${clustered}`,
    `create table secret_agents (
      project_id ${text} not null,
      name ${text} not null,
      agent_id ${text} not null,
      primary key (project_id, name, agent_id)
    ) ${clustered}`,
    'create index secret_agents_of on secret_agents (agent_id)',
    `create table secret_uses (
      project_id ${text} not null,
      name ${text} not null,
      launch_id ${text} not null,
      agent_id ${text} not null,
      given_as ${text} not null,
      used_at ${text} not null,
      primary key (project_id, name, launch_id)
    ) ${clustered}`,
    'create index secret_uses_newest on secret_uses (project_id, name, used_at)',
  ],
}
