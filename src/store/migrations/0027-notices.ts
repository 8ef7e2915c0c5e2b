/** HT7: the code and parameters of what a launch's detail tells, beside its English words. Rows of before have the words alone. */
import type { Migration } from './migration.ts'

export const notices: Migration = {
  version: 27,
  name: 'notices',
  statements: ({ text }) => [`alter table launches add column notice ${text}`],
}
