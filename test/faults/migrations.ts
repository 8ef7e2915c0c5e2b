/**
 * RE10: migrations killed at every statement and run again. A process opens and migrates an empty
 * database and dies, kill -9, in front of its n-th statement, for every n until it comes through;
 * each time the next start must end with the same schema as one that was never disturbed, and with
 * a store that can be written.
 */
import { changedBuild } from './broken-build.ts'
import type { Change } from './changes.ts'
import { runChild } from './child.ts'
import { diesAtStatement } from './controls.ts'
import { inFolder, type MigratedDatabase, onPostgres } from './migrated-databases.ts'
import { addTo, newTally, noFindings, type Tally } from './oracle.ts'
import { scratchFolder } from './power-cut/scratch.ts'
import type { MigrateTask } from './processes/migrate-and-die.ts'

export interface MigrationOptions {
  /** Besides dying: the control. */
  readonly changes?: readonly Change[]
  /** Every n-th statement; 1 for all. */
  readonly step: number
  /** Processes at a time. */
  readonly lanes: number
  /** PostgreSQL: an empty database. SQLite in a folder when left out. */
  readonly newUrl?: () => Promise<string>
}

export interface MigrationResult {
  readonly kills: number
  readonly statements: number
  readonly tally: Tally
}

/** More statements than this means that the counting is broken. */
const maxStatements = 2000

export async function killedMigrations({
  changes = [],
  step,
  lanes,
  newUrl,
}: MigrationOptions): Promise<MigrationResult> {
  const build = await changedBuild([...diesAtStatement, ...changes])
  const scratch = await scratchFolder()
  const newDatabase = newUrl ? onPostgres(newUrl) : inFolder(scratch.folder)
  const state = { next: 1, kills: 0, statements: Number.POSITIVE_INFINITY, tally: newTally() }
  try {
    const undisturbed = await newDatabase('undisturbed')
    if (await diesAt(build.folder, undisturbed, 0))
      throw new Error('It died although it was not told to')
    const whole = await undisturbed.schema()
    const lane = async (): Promise<void> => {
      while (state.next < Math.min(state.statements, maxStatements)) {
        const statement = state.next
        state.next += step
        const database = await newDatabase(String(statement))
        if (!(await diesAt(build.folder, database, statement))) {
          state.statements = Math.min(state.statements, statement)
          continue
        }
        state.kills++
        const where = `killed at statement ${statement}`
        addTo(state.tally, await database.check(), where)
        const again = await database.schema()
        if (again !== whole)
          addTo(state.tally, { ...noFindings(), torn: [`its schema is ${again}`] }, where)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return { kills: state.kills, statements: state.statements - 1, tally: state.tally }
  } finally {
    await scratch.remove()
    await build.remove()
  }
}

/** False: it came through before its n-th statement. */
async function diesAt(
  build: string,
  { place }: MigratedDatabase,
  statement: number,
): Promise<boolean> {
  const env = { DIE_AT_STATEMENT: String(statement) }
  const task: MigrateTask = { place }
  const end = await runChild({ build, script: 'migrate-and-die', task, env })
  if (end.signal === null && end.code !== 0)
    throw new Error(`The migration failed by itself: ${end.errors}`)
  return end.signal === 'SIGKILL'
}
