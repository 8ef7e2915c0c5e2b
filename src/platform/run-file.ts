/**
 * `<data>/run/server.json`: how the command line and the coordinator find the server of a data folder. Written at each start,
 * removed at an orderly stop; after a crash it is stale, which is why its reader asks whether the process is alive: that very one, and not
 * another that has its number by now.
 */
import { mkdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from './atomic-file.ts'
import { runFolder } from './data-folder.ts'
import { processes } from './processes.ts'

export interface RunningServer {
  readonly pid: number
  readonly url: string
  readonly startedAt: string
  readonly version: string
  /** Of its process, as the coordinator's; undefined where they cannot be told, and in files of older versions. */
  readonly birth?: string | undefined
  readonly bootId?: string | undefined
}

const runFile = (data: string): string => join(runFolder(data), 'server.json')

export async function writeRunFile(data: string, server: RunningServer): Promise<void> {
  await mkdir(runFolder(data), { recursive: true, mode: 0o700 })
  const born = processes && { birth: processes.birthOf(server.pid), bootId: processes.bootId() }
  await writeFileAtomic(runFile(data), `${JSON.stringify({ ...server, ...born }, null, 2)}\n`)
}

/** Who the file names, alive or not; undefined when there is no file or it makes no sense. */
export async function readRunFile(data: string): Promise<RunningServer | undefined> {
  const text = await readFile(runFile(data), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    const found = JSON.parse(text) as Partial<Record<keyof RunningServer, unknown>> | null
    const { pid, url, startedAt, version, birth, bootId } = found ?? {}
    const whole =
      Number.isSafeInteger(pid) &&
      Number(pid) > 0 &&
      typeof url === 'string' &&
      typeof startedAt === 'string' &&
      typeof version === 'string'
    const born = typeof birth === 'string' && typeof bootId === 'string' ? { birth, bootId } : {}
    return whole ? { pid: pid as number, url, startedAt, version, ...born } : undefined
  } catch {
    return undefined
  }
}

/** Takes away the file of this process; another's stays. */
export async function removeRunFile(data: string, pid: number): Promise<void> {
  const found = await readRunFile(data)
  if (found?.pid === pid) await unlink(runFile(data)).catch(() => {})
}

/**
 * Whether it lives; another user's counts as living. One that has died and only waits for its parent to notice does not: in a container
 * without an init that may be for ever.
 */
export function isAlive({ pid, birth, bootId }: Pick<RunningServer, 'pid' | 'birth' | 'bootId'>): boolean {
  if (processes && bootId !== undefined) return bootId === processes.bootId() && processes.birthOf(pid) === birth
  try {
    process.kill(pid, 0)
    return processes === undefined || processes.birthOf(pid) !== undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
