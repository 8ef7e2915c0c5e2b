/** Finds what a killed run left behind, stops it by pid and removes it. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeCluster } from './postgres-cluster.ts'

/** Folders are named <prefix><owner>-<which>. */
export const prefix = 'holdfast-postgres-'

/**
 * A process, told from a later one with the same number where the platform says when it started.
 */
export function ownerOf(pid: number): string {
  return `${pid}.${startOf(pid) ?? 0}`
}

export function isAlive(owner: string): boolean {
  const [pid = 0, start = 0] = owner.split('.').map(Number)
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const started = startOf(pid)
  return started === undefined || start === 0 || started === start
}

export async function clearLeftovers(parent: string): Promise<void> {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    // holdfast-postgres-<pid>.<start>-<random>
    const owner = name.slice(prefix.length).split('-')[0] ?? ''
    if (isAlive(owner)) continue
    const folder = join(parent, name)
    stopServerIn(folder)
    await removeCluster(folder).catch(() => {})
  }
}

function stopServerIn(folder: string): void {
  const pidFile = join(folder, 'data', 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  // Only when that process is that server: the number may be another's by now.
  if (pid > 1 && commandOf(pid).includes(folder)) process.kill(pid, 'SIGQUIT')
}

function commandOf(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'args=', '-ww', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/** Field 22 of /proc/<pid>/stat, behind the command in parentheses. */
function startOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19])
  } catch {
    return undefined
  }
}
