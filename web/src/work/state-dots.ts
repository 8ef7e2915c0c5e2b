/** The dot of a work session's state, the same wherever one is shown. */
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import type { LiveState } from '../shell/state-dot.tsx'

export const stateDots: Readonly<Record<WorkSession['state'], LiveState>> = {
  running: 'working',
  interrupted: 'failed',
  completed: 'ready',
}
