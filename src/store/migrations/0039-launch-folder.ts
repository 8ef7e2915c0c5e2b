/** CX4: the folder that a process was started in. Processes of before are taken to be where their project is. */
import type { Migration } from './migration.ts'

export const launchFolder: Migration = {
  version: 39,
  name: 'launch-folder',
  statements: ({ text }) => [`alter table launches add column folder ${text}`],
}
