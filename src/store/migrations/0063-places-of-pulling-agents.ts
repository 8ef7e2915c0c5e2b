/**
 * 63: SN10: which coordinators make a place for a session of an agent that pulls. Those of before
 * do not, and greet anew when they are of this build.
 */
import { plainSql } from './migration.ts'

export const placesOfPullingAgents = plainSql(
  () => 'alter table coordinators add column threads integer not null default 0;',
)
