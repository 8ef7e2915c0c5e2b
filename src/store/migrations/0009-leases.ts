/** Which node does what only one needs to do (SC5). A second that does it too does no harm. */
import type { Migration } from './migration.ts'

export const leases: Migration = {
  version: 9,
  name: 'leases',
  statements: ({ text }) => [
    `create table leases (
      name ${text} primary key,
      holder ${text} not null,
      held_until ${text} not null
    )`,
  ],
}
