/**
 * The first visit shows something alive (UI6): a small git repository in the data folder, to try everything on without
 * touching one's own work. Made once; a person who deletes the project does not get it again.
 */
import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gitEnvironment } from '../platform/git-environment.ts'

const run = promisify(execFile)
const gitTimeoutMs = 10_000

const gitIn = (cwd: string, ...args: string[]) =>
  run('git', args, { cwd, timeout: gitTimeoutMs, env: gitEnvironment(process.env) })

const readme = `# demo

A small repository to try Holdfast on. Nothing in here matters: change it, break it, delete it.
`

/**
 * The repository's folder; undefined where git cannot be run, and then the project has no folder. It is made under another name and gets
 * its own when it is whole, so that whatever cuts this off leaves nothing half made there.
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

/** Something of somebody's is in it, or a commit. Builds before left a repository without one when they were cut off. */
async function isFilled(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [])
  if (names.some((name) => name !== '.git' && name !== 'README.md')) return true
  // Named: git would look for another one above.
  return gitIn(folder, '--git-dir=.git', 'rev-parse', '--verify', '--quiet', 'HEAD').then(
    () => true,
    () => false,
  )
}

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })
