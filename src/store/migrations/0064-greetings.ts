/** 64: CO11: which greeting of a coordinator was the last, so that one node begins its launches. */
import { plainSql } from './migration.ts'

export const greetings = plainSql(
  ({ text }) => `alter table coordinators add column greeting ${text} not null default '';`,
)
