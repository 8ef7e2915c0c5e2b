/**
 * Lets a process work on a watched folder and hands out what it did, after proving that the log has
 * missed nothing.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChildEnd, type ChildOptions, runChild } from '../child.ts'
import { Disk } from './disk.ts'
import { type DiskRecord, parseDiskLog } from './disk-log.ts'
import { readFolder } from './scratch.ts'
import { type Fault, shimEnvironment } from './shim.ts'

export interface Step {
  /** Asked for when the step before has ended. */
  readonly task: () => unknown
  readonly fault?: Fault
  /** Only when the one before was killed. */
  readonly afterKill?: true
}

export interface RecordingOptions extends Pick<ChildOptions, 'build' | 'script' | 'onReport'> {
  readonly library: string
  /** Holds `disk`, the watched folder, and the log beside it. */
  readonly scratch: string
  /** One process after the other on the same disk. */
  readonly steps: readonly Step[]
}

export const watchedFolder = (scratch: string): string => join(scratch, 'disk')

export async function record(
  options: RecordingOptions,
): Promise<{ records: DiskRecord[]; ends: ChildEnd[] }> {
  const { library, scratch, steps, build, script, onReport } = options
  const folder = watchedFolder(scratch)
  const log = join(scratch, 'log')
  await mkdir(folder, { recursive: true })
  const ends: ChildEnd[] = []
  for (const { task, fault, afterKill } of steps) {
    if (afterKill && ends.at(-1)?.signal !== 'SIGKILL') break
    const env = shimEnvironment(library, folder, log, fault)
    ends.push(await runChild({ build, script, task: task(), env, onReport }))
  }
  const records = parseDiskLog(await readFile(log))
  proveComplete(records, folder)
  return { records, ends }
}

function proveComplete(records: readonly DiskRecord[], folder: string): void {
  const disk = new Disk()
  for (const one of records) disk.play(one)
  const [seen, real] = [disk.seen(), readFolder(folder)]
  const paths = new Set([...seen.keys(), ...real.keys()])
  for (const path of paths) {
    const same = seen.get(path)?.equals(real.get(path) ?? Buffer.alloc(0))
    if (!same)
      throw new Error(
        `The log of the disk does not lead to ${path} as it is; the shim has missed something`,
      )
  }
}
