/**
 * 58: CH18: a message that waits can be moved before another one. Nothing that waited before is
 * moved.
 */
import { plainSql } from './migration.ts'

export const movedMessages = plainSql(
  () => 'alter table unread_messages add column moved_to integer;',
)
