/**
 * What an agent session should do next (NA1), read without changing anything. When the answer would make something true, it says
 * so and `take-next-action` gives it; when the answer is to wait, it says how long a call may be held before it has to be asked
 * again.
 */
import { heldUntil, type NextAction } from '../../domain/agent-sessions/next-action.ts'
import type { ToldDecision } from '../../domain/approvals/decision-for-agent.ts'
import { epochMs, type Instant } from '../../domain/instant.ts'
import { type AgentAction, agentAction } from '../../domain/processes/start.ts'
import type { ResumeContext } from '../../domain/work/resume-context.ts'
import type { Task } from '../../protocol/work/task.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import { defineQuery } from '../../store/store.ts'
import { taskOf } from '../../store/work/tasks.ts'
import { startFactsOf } from '../processes/start-facts.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { nextStep, nextStepFrom, type Step } from './next-step.ts'
import { type CallingSession, type Claim, callingSession, claimed } from './queries.ts'

/** What an agent is answered. */
export interface NextAnswer {
  readonly next: NextAction
  /** With `work_on_task`. */
  readonly task: Task | null
  /** With `resume_work`: the work session whose context goes with it, and that context (RS2). */
  readonly resumedWorkSessionId: string | null
  readonly resumeContext: ResumeContext | null
  /** With `work_on_task`: what was decided and not told yet (AP8). */
  readonly decisions: readonly ToldDecision[]
}

export interface FoundNextAction extends NextAnswer {
  /** It is only right once `take-next-action` has made it so. */
  readonly changes: boolean
  /** How long the call may be held before the answer must be looked for again; 0: answer now. */
  readonly holdMs: number
  /** CX9: nothing may tell when the folder is free; it is looked for again after so long. */
  readonly lookAgainMs: number
  /** PX4: its process is thought to have exited; one that waits here lives, and must be given the chance to say so. */
  readonly suspected: boolean
}

export const findNextAction = defineQuery({
  name: 'find-next-action',
  run: async (reader, { waitSeconds, ...caller }: Receiver & { waitSeconds: number }, { now }): Promise<FoundNextAction> =>
    foundFrom(await nextStep(reader, caller, now), now, waitSeconds),
})

interface FoundCall {
  readonly caller: CallingSession
  /** undefined: the call has to be written down first. */
  readonly next: FoundNextAction | undefined
}

/** Who is calling and what it should do, from one look. */
export const findCallersNextAction = defineQuery({
  name: 'find-callers-next-action',
  run: async (reader, { waitSeconds, ...claim }: Claim & { waitSeconds: number }, { now }): Promise<FoundCall> => {
    const row = await claimed(reader, claim)
    const caller = callingSession(row, now)
    if (caller.touches) return { caller, next: undefined }
    return { caller, next: foundFrom(await nextStepFrom(reader, row, now), now, waitSeconds) }
  },
})

/** How often a call that waits for a folder looks whether it is free. */
const folderLookMs = 1000

function foundFrom(step: Step, now: Instant, waitSeconds: number): FoundNextAction {
  const until = heldUntil(now, step.next, waitSeconds, step.patience)
  const holdMs = until === undefined ? 0 : epochMs(until) - epochMs(now)
  return {
    ...answerOf(step),
    changes: changes(step),
    holdMs,
    lookAgainMs: step.waitsForFolder ? Math.min(holdMs, folderLookMs) : holdMs,
    suspected: step.agentSession.suspectedAt !== null,
  }
}

const changes = ({ next, takesUp, places, begins, resumes, decisions }: Step): boolean =>
  endReasonOf(next) !== null || takesUp !== null || places || begins || resumes !== null || decisions.length > 0

export const answerOf = ({ next, task, resumes, decisions }: Step): NextAnswer => ({
  next,
  task: task ? taskOf(task) : null,
  resumedWorkSessionId: resumes,
  // Handing it over is a change, so `take-next-action` gives it.
  resumeContext: null,
  decisions,
})

export const endReasonOf = (next: NextAction) => (next.action === 'exit' ? next.ends : null)

/** Whether an agent should be started in a project now (`get_agent_action`, CO3), for coordinators that others write. */
export const getAgentAction = defineQuery({
  name: 'get-agent-action',
  run: async (reader, pair: Pair, { now }): Promise<AgentAction> => {
    await checkAssigned(reader, pair)
    return agentAction(now, await startFactsOf(reader, pair, now))
  },
})
