/** Where agents run (SC4): what a machine is like and how much it takes, and what an agent asks for. */
import type { Migration } from './migration.ts'

export const placement: Migration = {
  version: 13,
  name: 'placement',
  statements: ({ text }) => [
    `alter table coordinators add column labels ${text} not null default '[]'`,
    'alter table coordinators add column capacity integer',
    `alter table agents add column runs_on ${text}`,
  ],
}
