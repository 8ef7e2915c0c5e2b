/**
 * Creates the demo project's git repository in the data folder (UI6), once; a deleted demo project
 * is not created again.
 */
import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { headOf } from '../platform/files/git-refs.ts'
import { gitEnvironment } from '../platform/processes/git-environment.ts'

const run = promisify(execFile)
const gitTimeoutMs = 10_000

const gitIn = (cwd: string, ...args: string[]) =>
  run('git', args, { cwd, timeout: gitTimeoutMs, env: gitEnvironment(process.env) })

const readme = `# demo

A small repository to try Holdfast on. Nothing in here matters: change it, break it, delete it.
`

/**
 * Returns the repository's folder; undefined without git. Renamed when complete, so that an
 * interruption leaves nothing.
 */
export async function makeDemoRepository(data: string): Promise<string | undefined> {
  const folder = join(data, 'demo')
  if (await isFilled(folder)) return folder
  const unfinished = join(data, 'run', 'demo-unfinished')
  const git = (...args: string[]) => gitIn(unfinished, ...args)
  await remove(unfinished)
  await mkdir(unfinished, { recursive: true, mode: 0o700 })
  try {
    await git('init', '--quiet', '--template=', '--initial-branch=main')
    await writeFile(join(unfinished, 'README.md'), readme)
    await git('add', 'README.md')
    await git('commit', '--quiet', '--message', 'Begin')
  } catch {
    await remove(unfinished)
    return undefined
  }
  await remove(folder)
  await rename(unfinished, folder)
  return folder
}

/**
 * Whether the folder has files or a commit, which is read as data: agents work there. Earlier
 * builds left a repository without one.
 */
async function isFilled(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [])
  if (names.some((name) => name !== '.git' && name !== 'README.md')) return true
  const own = join(folder, '.git')
  return headOf(own, own)?.commit !== undefined
}

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })
