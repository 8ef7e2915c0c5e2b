/**
 * `<data>/run/server.json`: how the command line and the coordinator find the server of a data
 * folder. Written at each start and removed at an orderly stop. After a crash it is stale, so its
 * reader checks that this very process is alive, by pid and start time.
 */
import { mkdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldsOf } from '../json.ts'
import { processes } from '../processes/processes.ts'
import { writeFileAtomic } from './atomic-file.ts'
import { runFolder } from './data-folder.ts'
import { readJsonFile } from './plain-file.ts'

export interface RunningServer {
  readonly pid: number
  readonly url: string
  readonly startedAt: string
  readonly version: string
  /**
   * The start time of its process; undefined where it is not known, and in files of older versions.
   */
  readonly birth?: string | undefined
  readonly bootId?: string | undefined
}

const runFile = (data: string): string => join(runFolder(data), 'server.json')

export async function writeRunFile(data: string, server: RunningServer): Promise<void> {
  await mkdir(runFolder(data), { recursive: true, mode: 0o700 })
  const born = processes && { birth: processes.birthOf(server.pid), bootId: processes.bootId() }
  await writeFileAtomic(runFile(data), `${JSON.stringify({ ...server, ...born }, null, 2)}\n`)
}

/** Reads the file, whether its process is alive or not; undefined when it is missing or invalid. */
export async function readRunFile(data: string): Promise<RunningServer | undefined> {
  const { pid, url, startedAt, version, birth, bootId } = fieldsOf(
    await readJsonFile(runFile(data)),
  )
  const isProcess = Number.isSafeInteger(pid) && Number(pid) > 0
  const born = typeof birth === 'string' && typeof bootId === 'string' ? { birth, bootId } : {}
  if (
    !isProcess ||
    typeof url !== 'string' ||
    typeof startedAt !== 'string' ||
    typeof version !== 'string'
  )
    return undefined
  return { pid: Number(pid), url, startedAt, version, ...born }
}

/** Removes the file if it belongs to this process. */
export async function removeRunFile(data: string, pid: number): Promise<void> {
  const found = await readRunFile(data)
  if (found?.pid === pid) await unlink(runFile(data)).catch(() => {})
}

/**
 * Whether the process is alive, also another user's. A zombie is not: in a container without an
 * init it may stay for ever.
 */
export function isAlive({
  pid,
  birth,
  bootId,
}: Pick<RunningServer, 'pid' | 'birth' | 'bootId'>): boolean {
  if (processes && bootId !== undefined)
    return bootId === processes.bootId() && processes.birthOf(pid) === birth
  try {
    process.kill(pid, 0)
    return processes === undefined || processes.birthOf(pid) !== undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
