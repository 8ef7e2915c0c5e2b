/**
 * Earlier versions of the product, out of the history of this checkout: a copy of their sources
 * beside today's dependencies, which is started as it is. One for each form of the database that
 * today's migrations go on from.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Migration } from '../../src/store/migrations/migration.ts'
import { migrations } from '../../src/store/migrations/migrations.ts'
import { postgresDialect } from '../../src/store/postgres/dialect.ts'
import { sqliteDialect } from '../../src/store/sqlite/connection.ts'
import type { BuildCopy } from './broken-build.ts'
import { productFolder } from './build.ts'

const run = promisify(execFile)
const folderOfMigrations = 'src/store/migrations'

export interface VersionBefore extends BuildCopy {
  /** The commit, as people write it. */
  readonly commit: string
}

export interface EarlierForm {
  /** Version of the database's schema. */
  readonly version: number
  /** The last one that had it. */
  readonly commit: string
}

const git = async (
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> => (await run('git', ['-C', productFolder, ...args], { env })).stdout.trim()

/**
 * The oldest first. Left out are those whose statements were changed later: such a form is nobody's
 * any more, for it was never released. Rejects where there is no history: a copy of the sources, or
 * the end of a shallow clone.
 */
export async function earlierForms(): Promise<EarlierForm[]> {
  const today = statementsOf(migrations)
  const changed = (await git(['log', '--reverse', '--format=%H', '--', folderOfMigrations]))
    .split('\n')
    .slice(1)
  const forms = new Map<number, EarlierForm>()
  for (const one of changed) {
    const commit = await git(['rev-parse', '--short', `${one}^`])
    const there = await statementsIn(commit)
    if (there.every((text, index) => text === today[index]))
      forms.set(there.length, { version: there.length, commit })
  }
  forms.delete(today.length)
  return [...forms.values()].sort((a, b) => a.version - b.version)
}

/**
 * The migrations of a commit, loaded as they were: they import nothing but types from elsewhere.
 */
async function statementsIn(commit: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-migrations-'))
  try {
    const env = { ...process.env, GIT_INDEX_FILE: join(folder, 'index') }
    await git(['read-tree', `${commit}:${folderOfMigrations}`], env)
    await git(['checkout-index', '--all', `--prefix=${folder}/`], env)
    const loaded = await import(pathToFileURL(join(folder, 'migrations.ts')).href)
    return statementsOf(loaded.migrations)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * A text for each version, of both engines, the same for the same statements however they are
 * written.
 */
const statementsOf = (all: readonly Migration[]): string[] =>
  all.map(({ statements }) =>
    [sqliteDialect, postgresDialect].flatMap(statements).join(';').replaceAll(/\s+/g, ''),
  )

export async function checkOut(commit: string): Promise<VersionBefore> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-before-'))
  const env = { ...process.env, GIT_INDEX_FILE: join(folder, 'index') }
  await git(['read-tree', commit], env)
  await git(['checkout-index', '--all', `--prefix=${folder}/`], env)
  await symlink(join(productFolder, 'node_modules'), join(folder, 'node_modules'))
  return { folder, commit, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** The last version whose database had an older form: what a cluster is upgraded from. */
export async function versionBefore(): Promise<VersionBefore> {
  const newest = (await earlierForms()).at(-1)
  if (!newest) throw new Error('the history has none')
  return checkOut(newest.commit)
}

/**
 * CO12: the build before, whose coordinators go on over an upgrade: the last commit before the link
 * had the form of two builds (64f64fea), for no build is released yet. Sessions have lanes in it.
 * Moved to its tag with each release.
 */
export const buildBefore = (): Promise<VersionBefore> => checkOut('f5093897')

export const hasOlderForm = async (commit: string): Promise<boolean> =>
  (await statementsIn(commit)).length < migrations.length
