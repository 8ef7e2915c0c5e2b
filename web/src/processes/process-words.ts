/** The state of a process as a word and a dot. Pure. */
import type { Coordinator } from '../../../src/protocol/processes/coordinator.ts'
import type { Process } from '../../../src/protocol/processes/process.ts'
import type { LiveState } from '../shell/state-dot.tsx'
import type { Messages } from '../translations/en.ts'

type Standing = Process['state'] | 'stopping' | 'unreachable'

/** Silence is not death: what a machine that is not heard of runs is shown as such (CO6). */
export function standingOf(
  { state, stopReason, coordinatorId }: Process,
  coordinators: readonly Coordinator[] = [],
): Standing {
  if (state === 'ended' || state === 'held') return state
  const coordinator = coordinators.find(({ id }) => id === coordinatorId)
  if (coordinator?.state === 'unreachable') return 'unreachable'
  return stopReason === null ? state : 'stopping'
}

export const standingDots: Record<Standing, LiveState> = {
  waiting: 'starting',
  starting: 'starting',
  running: 'ready',
  stopping: 'starting',
  unreachable: 'waiting',
  held: 'failed',
  ended: 'starting',
}

export const standingWord = (standing: Standing, { processes }: Messages): string =>
  standing === 'stopping' || standing === 'unreachable'
    ? processes[standing]
    : processes.states[standing]
