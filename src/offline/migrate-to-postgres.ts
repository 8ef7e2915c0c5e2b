/**
 * Moves a data folder's database to an empty PostgreSQL: restores a backup into it, then compares
 * both row by row. The folder is locked meanwhile. The old database stays, with a mark that
 * prevents starting on it by mistake.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { instant } from '../domain/instant.ts'
import { databaseFile } from '../platform/files/data-folder.ts'
import { lockDataFolder } from '../platform/files/data-lock.ts'
import { markMoved } from '../platform/files/moved-mark.ts'
import { StartFailure } from '../platform/processes/start-failure.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { compareTables } from '../store/copy-tables.ts'
import { backUp, type RestoredStore, restoreFrom } from './backup-and-restore.ts'
import { readDatabase } from './read-database.ts'

export type MigrationStep = 'copying' | 'comparing'

export interface MovedStore extends RestoredStore {
  /** Number of rows compared and found equal. */
  readonly rows: number
}

export async function moveStore(
  from: ConfigValues,
  toUrl: string,
  onStep: (step: MigrationStep) => void,
): Promise<MovedStore> {
  if (!existsSync(databaseFile(from.data))) {
    throw new StartFailure(
      `There is no database in ${from.data}.`,
      'Name the folder with --data DIR.',
    )
  }
  const to = { ...from, database_url: toUrl }
  const lock = lockDataFolder(from.data)
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-move-'))
  try {
    onStep('copying')
    const { file } = await backUp(from, join(folder, 'move.backup'))
    const restored = await restoreFrom(file, to, { replace: false, warn: () => {} })
    onStep('comparing')
    const { rows, difference } = await readDatabase(from, (one) =>
      readDatabase(to, (other) => compareTables(one, other)),
    )
    if (difference) {
      throw new StartFailure(
        `Row ${difference.row} of ${difference.table} is not the same in ${restored.place}: do not use that database.`,
        'The data folder is as it was. Drop that database, create a new one and try again.',
      )
    }
    await markMoved(from.data, { to: restored.place, at: instant(Date.now()) })
    return { ...restored, rows }
  } finally {
    lock.release()
    await rm(folder, { recursive: true, force: true })
  }
}
