/**
 * Earlier versions of the product, out of the history of this checkout: a copy of their sources beside today's dependencies, which is
 * started as it is. One for each form of the database that today's migrations go on from.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BuildCopy } from './broken-build.ts'
import { productFolder } from './build.ts'

const run = promisify(execFile)
const migrations = 'src/store/migrations'

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

const git = async (args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> =>
  (await run('git', ['-C', productFolder, ...args], { env })).stdout.trim()

/**
 * The oldest first. Left out are those whose migrations were changed later: such a form is nobody's any more, for it was never released.
 * Rejects where there is no history: a copy of the sources, or the end of a shallow clone.
 */
export async function earlierForms(): Promise<EarlierForm[]> {
  const today = new Set(await migrationsOf('HEAD'))
  const added = (await git(['log', '--reverse', '--format=%H', '--diff-filter=A', '--', migrations])).split('\n').slice(1)
  const forms = new Map<number, EarlierForm>()
  for (const one of added) {
    const commit = await git(['rev-parse', '--short', `${one}^`])
    const there = await migrationsOf(commit)
    if (there.every((file) => today.has(file))) forms.set(there.length, { version: there.length, commit })
  }
  forms.delete(today.size)
  return [...forms.values()].sort((a, b) => a.version - b.version)
}

/** Each with the statements in it: what it imports from where, and its comments, may change. */
async function migrationsOf(commit: string): Promise<string[]> {
  const files = (await git(['ls-tree', commit, `${migrations}/`])).split('\n')
  const numbered = files.flatMap((line) => {
    const [, blob = '', number = ''] = /^\d+ blob (\w+)\t.*\/(\d{4})-[\w-]+\.ts$/.exec(line) ?? []
    return blob === '' ? [] : [{ blob, number }]
  })
  return Promise.all(numbered.map(async ({ blob, number }) => `${number} ${await statementsOf(blob)}`))
}

const read = new Map<string, Promise<string>>()

function statementsOf(blob: string): Promise<string> {
  const known = read.get(blob) ?? git(['cat-file', 'blob', blob]).then(withoutImportsAndComments)
  read.set(blob, known)
  return known
}

const withoutImportsAndComments = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import [\s\S]*?from '.*'$/gm, '').replaceAll(/\s+/g, '')

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

/** The last version that was used before roles, chats and tasks had one kind of turn (migration 22). */
export const beforeOneTurn = (): Promise<VersionBefore> => checkOut('7bb7185')
