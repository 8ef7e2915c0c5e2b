/**
 * 47: begun sessions are threads with processes of their own. The lane of a conversation, a turn, a
 * launch and a lease names the processes that may run it; those that exist are common. An agent has
 * at most one live lease of a purpose in each lane. A thread without a message and a title is a
 * draft.
 */
import { plainSql } from './migration.ts'

export const lanes = plainSql(
  ({ text }) => `
    alter table conversations add column lane ${text} not null default '';
    alter table conversations add column draft integer not null default 0;
    create index conversations_drafts on conversations (created_at) where draft = 1;

    alter table launches add column lane ${text} not null default '';
    alter table agent_sessions add column lane ${text} not null default '';
    alter table turns add column lane ${text} not null default '';

    drop index agent_sessions_live;
    create unique index agent_sessions_live on agent_sessions
      (agent_id, project_id, purpose, lane) where state <> 'ended';
    drop index launches_live_of_pair;
    create index launches_live_of_post on launches (agent_id, project_id, lane)
      where state <> 'ended';
    drop index launches_of_pair;
    create index launches_of_post on launches (agent_id, project_id, lane, ended_at);
    drop index turns_waiting;
    create index turns_waiting on turns (agent_id, project_id, lane, created_at)
      where state = 'queued';
    create index turns_waiting_in_lanes on turns (project_id, agent_id, lane)
      where state = 'queued' and lane <> '';

    create table pending_purposes_by_lane (
      agent_id ${text} not null,
      project_id ${text} not null,
      lane ${text} not null,
      created_at ${text} not null,
      primary key (agent_id, project_id, lane)
    );
    insert into pending_purposes_by_lane (agent_id, project_id, lane, created_at)
      select agent_id, project_id, '', created_at from pending_purposes;
    drop table pending_purposes;
    alter table pending_purposes_by_lane rename to pending_purposes;

    create table panels_by_lane (
      project_id ${text} not null,
      agent_id ${text} not null,
      lane ${text} not null,
      panel_id ${text} not null,
      seen_at ${text} not null,
      primary key (project_id, agent_id, lane, panel_id)
    );
    insert into panels_by_lane (project_id, agent_id, lane, panel_id, seen_at)
      select project_id, agent_id, '', panel_id, seen_at from panels;
    drop table panels;
    alter table panels_by_lane rename to panels;
    create index panels_oldest on panels (seen_at);
    create index panels_by_name on panels (panel_id);
  `,
)
