/**
 * Reads what an agent session should do next (NA1), without changes. It reports when the answer needs a write, which
 * `take-next-action` makes, and how long a waiting call may be held.
 */
import { heldUntil, type NextAction } from '../../domain/agent-sessions/next-action.ts'
import type { AgentDecision } from '../../domain/approvals/decision-for-agent.ts'
import { epochMs, type Instant } from '../../domain/instant.ts'
import { type AgentAction, agentAction } from '../../domain/processes/start.ts'
import type { ResumeContext } from '../../domain/work/resume-context.ts'
import type { Task } from '../../protocol/work/task.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { defineQuery } from '../../store/store.ts'
import { taskOf } from '../../store/work/tasks.ts'
import { startFactsOf } from '../processes/launch-record.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { nextStep, nextStepFrom, type Step } from './next-step.ts'
import { type CallingSession, type Claim, callingSession, claimedAgentSession } from './queries.ts'

export interface NextAnswer {
  readonly next: NextAction
  /** Set with `work_on_task`. */
  readonly task: Task | null
  /** Set with `resume_work`: the resumed work session, and its context (RS2). */
  readonly resumedWorkSessionId: string | null
  readonly resumeContext: ResumeContext | null
  /** Set with `work_on_task`: decisions not delivered yet (AP8). */
  readonly decisions: readonly AgentDecision[]
}

export interface FoundNextAction extends NextAnswer {
  /** Whether `take-next-action` must write before the answer holds. */
  readonly changes: boolean
  /** How long the call may be held before the next check. 0 means to answer now. */
  readonly holdMs: number
  /** CX9: the interval of checks while waiting for a folder, which no event announces. */
  readonly checkAgainMs: number
  /** PX4: the process is suspected to have exited. A waiting call must get the chance to show that it lives. */
  readonly suspected: boolean
}

export const findNextAction = defineQuery(
  async (reader, { waitSeconds, ...caller }: AgentCaller & { waitSeconds: number }, { now }): Promise<FoundNextAction> =>
    foundFrom(await nextStep(reader, caller, now), now, waitSeconds),
)

interface FoundCall {
  readonly caller: CallingSession
  /** Undefined when the call must be recorded first. */
  readonly next: FoundNextAction | undefined
}

/** Identifies the caller and finds its next action in one snapshot. */
export const findCallersNextAction = defineQuery(
  async (reader, { waitSeconds, ...claim }: Claim & { waitSeconds: number }, { now }): Promise<FoundCall> => {
    const row = await claimedAgentSession(reader, claim)
    const caller = callingSession(row, now)
    if (caller.touches) return { caller, next: undefined }
    return { caller, next: foundFrom(await nextStepFrom(reader, row, now), now, waitSeconds) }
  },
)

/** Interval in which a waiting call checks whether the folder is free. */
const folderCheckMs = 1000

function foundFrom(step: Step, now: Instant, waitSeconds: number): FoundNextAction {
  const until = heldUntil(now, step.next, waitSeconds, step.patience)
  const holdMs = until === undefined ? 0 : epochMs(until) - epochMs(now)
  return {
    ...answerOf(step),
    changes: changes(step),
    holdMs,
    checkAgainMs: step.waitsForFolder ? Math.min(holdMs, folderCheckMs) : holdMs,
    suspected: step.agentSession.suspectedAt !== null,
  }
}

const changes = ({ next, takesUp, places, begins, resumes, decisions }: Step): boolean =>
  endReasonOf(next) !== null || takesUp !== null || places || begins || resumes !== null || decisions.length > 0

export const answerOf = ({ next, task, resumes, decisions }: Step): NextAnswer => ({
  next,
  task: task ? taskOf(task) : null,
  resumedWorkSessionId: resumes,
  // Delivering it is a write, so `take-next-action` adds it.
  resumeContext: null,
  decisions,
})

export const endReasonOf = (next: NextAction) => (next.action === 'exit' ? next.ends : null)

/** Whether an agent should be started in a project (`get_agent_action`, CO3), for third-party coordinators. */
export const getAgentAction = defineQuery(async (reader, pair: Pair, { now }): Promise<AgentAction> => {
  await checkAssigned(reader, pair)
  return agentAction(now, await startFactsOf(reader, pair, now))
})
