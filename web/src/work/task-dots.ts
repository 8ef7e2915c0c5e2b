/** The dot of a task's status, the same wherever one is shown. */
import type { Task } from '../../../src/protocol/work/task.ts'
import type { LiveState } from '../shell/state-dot.tsx'

export const taskDots: Readonly<Record<Task['status'], LiveState>> = {
  pending: 'starting',
  blocked: 'starting',
  in_progress: 'working',
  completed: 'ready',
  failed: 'failed',
}
