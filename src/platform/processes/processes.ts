/**
 * The processes of this machine. A pid is reused, so a process is identified by its pid and its
 * start time. The coordinator sends signals only from here, and never to a pid alone (CO5).
 */
import type { LaunchMark } from './launch-mark.ts'
import { linuxProcesses } from './processes-linux.ts'
import { psProcesses } from './processes-ps.ts'

export interface ProcessIdentity {
  readonly pid: number
  /** The start time as the kernel reports it; only compared, never parsed. */
  readonly birth: string
}

export interface LiveProcess extends ProcessIdentity {
  readonly parent: number
  readonly group: number
  /** Undefined when it has none, or belongs to another user. */
  readonly mark: LaunchMark | undefined
  /** Left out where it is not known. */
  readonly threads?: number
}

export interface ProcessSource {
  /** All running processes, without zombies. */
  list(): Promise<LiveProcess[]>
  /** Undefined when there is no such process; a zombie counts only with `or-dead`. */
  birthOf(pid: number, dead?: 'or-dead'): string | undefined
  /** Changes with each boot; pids and start times of another boot are invalid. */
  bootId(): string
}

/** Undefined on systems where processes cannot be identified; no agents can run there. */
export const processes = sourceOf(process.platform)

function sourceOf(platform: NodeJS.Platform): ProcessSource | undefined {
  if (platform === 'win32') return undefined
  return platform === 'linux' ? linuxProcesses : psProcesses
}

/**
 * Checks the process again and signals it at once. False when it has ended, or may not be
 * signalled.
 */
export function signalExactly(
  source: ProcessSource,
  { pid, birth }: ProcessIdentity,
  signal: NodeJS.Signals,
): boolean {
  if (pid <= 1 || pid === process.pid || source.birthOf(pid) !== birth) return false
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
