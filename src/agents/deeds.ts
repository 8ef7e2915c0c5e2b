/** What both demo agents can do to the machine they run on: write below their folder, leave a child behind. They do no more than that. */
import { spawn } from 'node:child_process'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'

/** What a forked child lives at most, should nobody end it. */
const childLifetimeMs = 600_000

/** Outlives this process when nobody ends the whole group. */
export function forkChild(): number | undefined {
  const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${childLifetimeMs})`], { stdio: 'ignore' })
  child.unref()
  return child.pid
}

/** Whether it was written; it is not when the path leads out of the folder. */
export async function writeBelow(folder: string, path: string, text: string): Promise<boolean> {
  const root = await realpath(folder)
  const target = resolve(root, path)
  if (!isInside(root, target)) return false
  await mkdir(dirname(target), { recursive: true })
  // A link on the way may lead out again.
  if (!isInside(root, resolve(await realpath(dirname(target)), 'x'))) return false
  await writeFile(target, text)
  return true
}

function isInside(root: string, target: string): boolean {
  const way = relative(root, target)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
