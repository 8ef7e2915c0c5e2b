/**
 * The last version whose database had an older form, out of the history of this checkout: what a cluster is upgraded from. A copy of its
 * sources beside today's dependencies, which is started as it is.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BuildCopy } from './broken-build.ts'
import { productFolder } from './build.ts'

const run = promisify(execFile)

export interface VersionBefore extends BuildCopy {
  /** Its commit, as people write it. */
  readonly commit: string
}

/** Rejects where there is no history: a copy of the sources, or the end of a shallow clone. */
export async function versionBefore(): Promise<VersionBefore> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-before-'))
  const git = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, GIT_INDEX_FILE: join(folder, 'index') }
    return (await run('git', ['-C', productFolder, ...args], { env })).stdout.trim()
  }
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const newest = await git('log', '-1', '--format=%H', '--diff-filter=A', '--', 'src/store/migrations')
    const commit = await git('rev-parse', '--short', `${newest}^`)
    await git('read-tree', commit)
    await git('checkout-index', '--all', `--prefix=${folder}/`)
    await symlink(join(productFolder, 'node_modules'), join(folder, 'node_modules'))
    return { folder, commit, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
