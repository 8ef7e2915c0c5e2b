/**
 * 57: SN20: what waits in a session is paused when its turn was stopped or has failed, and why.
 * Nothing that waited before is paused.
 */
import { plainSql } from './migration.ts'

export const pausedTurns = plainSql(({ text }) => `alter table turns add column paused ${text};`)
