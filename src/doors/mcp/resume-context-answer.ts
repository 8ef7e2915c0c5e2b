/** Resume context of a work session (RS1) with snake_case names. */
import type * as z from 'zod'
import type { ResumeContext as Context } from '../../domain/work/resume-context.ts'
import {
  CompletedTask,
  GivenApproach,
  PastDecision,
  RememberedTask,
  ResumeContext,
} from '../../protocol/work/resume.ts'
import { Task } from '../../protocol/work/task.ts'
import { snakeFields, snakeShape } from './tool.ts'

const ResumedTask = snakeShape(RememberedTask)
export const DecisionsAnswer = snakeShape(PastDecision).array()
const Approaches = snakeShape(GivenApproach).array()

export const ResumeContextAnswer = snakeShape(ResumeContext).extend({
  current_task: ResumedTask.nullable(),
  decisions: DecisionsAnswer,
  failed_approaches: Approaches,
  verified_approaches: Approaches,
  next_approaches: Approaches,
  remaining_tasks: ResumedTask.array(),
  completed_tasks: snakeShape(CompletedTask).array(),
  left_out: snakeShape(ResumeContext.shape.leftOut),
})

export const resumeContextAnswer = (context: Context): z.input<typeof ResumeContextAnswer> =>
  ({
    ...snakeFields(context),
    current_task: context.currentTask && snakeFields(context.currentTask),
    decisions: context.decisions.map(snakeFields),
    failed_approaches: context.failedApproaches.map(snakeFields),
    verified_approaches: context.verifiedApproaches.map(snakeFields),
    next_approaches: context.nextApproaches.map(snakeFields),
    remaining_tasks: context.remainingTasks.map(snakeFields),
    completed_tasks: context.completedTasks.map(snakeFields),
    left_out: snakeFields(context.leftOut),
  }) as z.input<typeof ResumeContextAnswer>

export const TaskAnswer = snakeShape(Task)
