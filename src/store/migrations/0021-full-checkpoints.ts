/** Files that stay full: the state of work as it ended (CK6), why a changed file was not taken in (AR3), fields of messages that are not ours (CV7), which message another is the same as (CV1). */
import type { Migration } from './migration.ts'

export const fullCheckpoints: Migration = {
  version: 21,
  name: 'full-checkpoints',
  statements: ({ text }) => [
    `alter table checkpoints add column state ${text}`,
    `alter table sessions add column file_problem ${text}`,
    `alter table messages add column extra ${text}`,
    'alter table messages add column copy_of bigint',
  ],
}
