/**
 * The processes of this machine, as exactly as the kernel tells them apart: a number is used again, so a process is its number
 * and its birth. Signals are sent here and nowhere else in the coordinator, and never to a number alone (CO5).
 */
import type { LaunchMark } from './launch-mark.ts'
import { linuxProcesses } from './processes-linux.ts'
import { psProcesses } from './processes-ps.ts'

export interface ProcessIdentity {
  readonly pid: number
  /** When it began, in the kernel's own words; only compared, never read. */
  readonly birth: string
}

export interface LiveProcess extends ProcessIdentity {
  readonly parent: number
  readonly group: number
  /** Undefined when it has none, or belongs to another user, who may not be looked at. */
  readonly mark: LaunchMark | undefined
}

export interface ProcessSource {
  /** All that live; what has died and only waits for its parent to notice is left out. */
  list(): Promise<LiveProcess[]>
  /** Undefined when there is no such process; one that is dead and not yet noticed by its parent counts only for who asks for it. */
  birthOf(pid: number, dead?: 'or-dead'): string | undefined
  /** Changes with each start of the machine; numbers and births of another start say nothing. */
  bootId(): string
}

/** Undefined where processes cannot be told apart, and no agents can be run. */
export const processes: ProcessSource | undefined =
  process.platform === 'linux' ? linuxProcesses : process.platform === 'win32' ? undefined : psProcesses

/** Looks once more, then signals, with nothing in between. False when it is not there any more, or not ours to signal. */
export function signalExactly(source: ProcessSource, { pid, birth }: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (pid <= 1 || pid === process.pid || source.birthOf(pid) !== birth) return false
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
