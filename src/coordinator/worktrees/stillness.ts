/**
 * Ends a git that waits for what never comes (SB10): an agent may have put a pipe where git reads.
 * One that for some seconds uses no processor and reads nothing, nor what it has started, is over.
 * Linux tells that in /proc; elsewhere only git's total time is bounded.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Clock } from '../../platform/time/clock.ts'

const lookMs = 1000
/**
 * So many looks without anything between them: five seconds. Looks, not time, because a machine may
 * sleep.
 */
const maxStillLooks = 5
const findMs = 10_000

/** Returns what ends the watch. */
export function stillness(clock: Clock, pid: number | undefined, onStill: () => void): () => void {
  if (process.platform !== 'linux' || pid === undefined) return () => {}
  let seen: string | undefined
  let still = 0
  const look = (): void => {
    const now = activityOf(pid)
    still = now !== undefined && now === seen ? still + 1 : 0
    seen = now
    if (still >= maxStillLooks) onStill()
    else stop = clock.after(lookMs, look)
  }
  let stop = clock.after(0, look)
  return () => stop()
}

/**
 * What a process and those that it started have used and read; undefined while one of them runs, or
 * waits for a disk.
 */
function activityOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'R' || state === 'D') return undefined
    const read = readFileSync(`/proc/${pid}/io`, 'latin1')
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ')
    const below = children.filter((child) => child !== '').map((child) => activityOf(Number(child)))
    if (below.includes(undefined)) return undefined
    return `${pid} ${fields[10]} ${fields[11]} ${read} ${below.join(' ')}`
  } catch {
    return undefined
  }
}

/** The first pipe below a folder that git would wait for; empty: none. */
export const pipeIn = (folder: string): Promise<string> =>
  new Promise((resolve) => {
    const rules = [
      '-name',
      '.gitignore',
      '-o',
      '-name',
      '.gitattributes',
      '-o',
      '-path',
      '*/.git/*',
    ]
    const args = [folder, '-xdev', '-type', 'p', '(', ...rules, ')', '-print', '-quit']
    execFile('find', args, { timeout: findMs }, (_, found) => resolve(found.trim()))
  })
