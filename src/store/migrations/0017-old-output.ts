/** CO4: what launches wrote long ago is found without looking at all that have ever been. */
import type { Migration } from './migration.ts'

export const oldOutput: Migration = {
  version: 17,
  name: 'old-output',
  statements: () => ["create index launches_with_output on launches (ended_at) where output <> ''"],
}
