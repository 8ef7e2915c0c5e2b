/**
 * 60: SN13: a message of a person names the turn that answered it. Of what was answered before,
 * nothing is known.
 */
import { plainSql } from './migration.ts'

export const answeredMessages = plainSql(
  ({ text }) => `alter table messages add column turn_id ${text};`,
)
