/** SB1: how the processes of an agent are isolated, of its entry and of its assignment to a project. Existing ones stay without a sandbox. */
import type { Migration } from './migration.ts'

export const isolation: Migration = {
  version: 28,
  name: 'isolation',
  statements: ({ text }) => [
    `alter table agents add column isolation ${text} not null default '{}'`,
    `alter table assignments add column isolation ${text} not null default '{}'`,
  ],
}
