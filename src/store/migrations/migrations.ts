/** Every migration, in order. Forward only; a released one is never changed. */
import { versions1To11 } from './0001-to-0011.ts'
import { versions12To21 } from './0012-to-0021.ts'
import { turns } from './0022-turns.ts'
import { limitsOfContexts } from './0023-limits-of-contexts.ts'
import { versions24AndLater } from './0024-and-later.ts'
import { numbered } from './migration.ts'

export const migrations = numbered([
  ...versions1To11,
  ...versions12To21,
  turns,
  limitsOfContexts,
  ...versions24AndLater,
])

export const newestVersion = migrations.length
