/** Coordinators, the launches they were ordered, and the chat panels that are open. */
import type { Migration } from './migration.ts'

export const processTables: Migration = {
  version: 3,
  name: 'processes',
  statements: ({ text, clustered }) => [
    // CO6: which instance of it counts, and which of its facts are stored; its epoch is in coordinator_epochs, as foreign ones' are.
    `create table coordinators (
      id ${text} primary key,
      machine ${text} not null,
      state ${text} not null,
      instance ${text} not null,
      last_fact bigint not null,
      version ${text} not null,
      boot_id ${text} not null,
      pid bigint not null,
      joined_at ${text} not null,
      last_heard_at ${text} not null
    )`,
    `create table launches (
      id ${text} primary key,
      agent_id ${text} not null,
      project_id ${text} not null,
      coordinator_id ${text} not null,
      state ${text} not null,
      token_hash ${text} unique,
      pid bigint,
      birth ${text},
      ordered_at ${text} not null,
      started_at ${text},
      stop_ordered_at ${text},
      stop_reason ${text},
      ended_at ${text},
      exit_code bigint,
      signal ${text},
      reason ${text},
      detail ${text},
      output ${text} not null,
      ready_at ${text}
    )`,
    "create index launches_live_of_pair on launches (agent_id, project_id) where state <> 'ended'",
    "create index launches_live_of_coordinator on launches (coordinator_id, ordered_at, id) where state <> 'ended'",
    "create index launches_spoken_to on launches (project_id, id) where ready_at is not null and state <> 'ended'",
    'create index launches_newest on launches (ordered_at, id)',
    'create index launches_of_pair on launches (agent_id, project_id, ended_at)',
    // CH5: a chat is closed with its last panel; one that was not seen for a minute counts as closed.
    `create table panels (
      project_id ${text} not null,
      agent_id ${text} not null,
      panel_id ${text} not null,
      seen_at ${text} not null,
      primary key (project_id, agent_id, panel_id)
    ) ${clustered}`,
    'create index panels_oldest on panels (seen_at)',
    'create index panels_by_name on panels (panel_id)',
    'create index agent_sessions_of_launch on agent_sessions (launch_id) where launch_id is not null',
  ],
}
