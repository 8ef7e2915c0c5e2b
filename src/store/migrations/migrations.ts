/** Every migration, in order. Forward only; a released one is never changed. */
import { spine } from './0001-spine.ts'
import type { Migration } from './migration.ts'

export const migrations: readonly Migration[] = [spine]

export const newestVersion = migrations.length
