/**
 * The first visit shows something alive (UI6): a small git repository in the data folder, to try everything on without
 * touching one's own work. Made once; a person who deletes the project does not get it again.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const gitTimeoutMs = 10_000

/** A machine without an identity of its own in git must work too. */
const identity = ['-c', 'user.name=Holdfast', '-c', 'user.email=demo@holdfast.invalid', '-c', 'commit.gpgsign=false']

const readme = `# demo

A small repository to try Holdfast on. Nothing in here matters: change it, break it, delete it.
`

/** The repository's folder; undefined where git cannot be run, and then the project has no folder. */
export async function makeDemoRepository(data: string): Promise<string | undefined> {
  const folder = join(data, 'demo')
  const git = (...args: string[]) => run('git', args, { cwd: folder, timeout: gitTimeoutMs })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    if (!existsSync(join(folder, '.git'))) await git('init', '--quiet', '--initial-branch=main')
    await writeFile(join(folder, 'README.md'), readme, { flag: 'wx' }).catch(unlessThere)
    await git('add', 'README.md')
    const { stdout } = await git('status', '--porcelain')
    if (stdout) await git(...identity, 'commit', '--quiet', '--message', 'Begin')
    return folder
  } catch {
    return undefined
  }
}

const unlessThere = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EEXIST') throw error
}
