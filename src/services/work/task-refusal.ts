/** Why a change of a task is refused, in words. */
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { TaskRefusal } from '../../domain/work/task-lifecycle.ts'

export function refusalOfTask(taskId: string, refusal: TaskRefusal): Refusal {
  switch (refusal.code) {
    case 'task_blocked': {
      const { waitsFor } = refusal
      return new Refusal(
        'task_blocked',
        refusalText('taskWaits', { task: taskId, others: waitsFor.join(', ') }),
        { waitsFor },
      )
    }
    case 'invalid_progress':
      return new Refusal('invalid_progress', undefined, { min: 0, max: 100 })
    case 'wrong_state': {
      const { status, wanted } = refusal
      const detail =
        status === wanted
          ? refusalText('taskDone', { task: taskId, state: status })
          : refusalText('taskCannot', { task: taskId, state: status, wanted })
      return new Refusal('wrong_state', detail, { state: status, wanted })
    }
  }
}
