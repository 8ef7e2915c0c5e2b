/**
 * 61: SN21: the agents that a session had one after another, and where an agent's first session was
 * continued. What was there before had one agent.
 */
import { plainSql } from './migration.ts'

export const continuedSessions = plainSql(
  ({ text }) => `
    alter table conversations add column agents ${text};
    alter table conversations add column continued_as ${text};
    alter table conversations add column continued_from ${text};
  `,
)
