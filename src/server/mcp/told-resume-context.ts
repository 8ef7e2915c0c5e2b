/** What agents are told about work that they take up (RS1), under this wire's names. */
import type * as z from 'zod'
import type { ResumeContext as Context } from '../../domain/work-session/resume-context.ts'
import { RememberedTask, ResumeContext, ToldApproach, ToldDecision } from '../../protocol/resume.ts'
import { snakeFields, snakeShape } from './snake-case.ts'

const Task = snakeShape(RememberedTask)
export const ToldDecisions = snakeShape(ToldDecision).array()
const Approaches = snakeShape(ToldApproach).array()

export const ToldResumeContext = snakeShape(ResumeContext).extend({
  current_task: Task.nullable(),
  decisions: ToldDecisions,
  failed_approaches: Approaches,
  verified_approaches: Approaches,
  next_approaches: Approaches,
  remaining_tasks: Task.array(),
  left_out: snakeShape(ResumeContext.shape.leftOut),
})

export const toldResumeContext = (context: Context): z.input<typeof ToldResumeContext> =>
  ({
    ...snakeFields(context),
    current_task: context.currentTask && snakeFields(context.currentTask),
    decisions: context.decisions.map(snakeFields),
    failed_approaches: context.failedApproaches.map(snakeFields),
    verified_approaches: context.verifiedApproaches.map(snakeFields),
    next_approaches: context.nextApproaches.map(snakeFields),
    remaining_tasks: context.remainingTasks.map(snakeFields),
    left_out: snakeFields(context.leftOut),
  }) as z.input<typeof ToldResumeContext>
