/**
 * Tells an agent session what to do next and makes it true in the same commit, before the answer leaves (NA4, NA5, NA11): a
 * session that is sent away has ended, a work session that is handed over is driven by it, a task is in a work session. Decides again, behind the lock of its
 * chat, so that no message arrives between "nothing is unread" and the end (NA2).
 */
import { webKey } from '../domain/conversation/key.ts'
import { conversationStream, projectStream } from '../domain/stream/name.ts'
import type { ResumeContext } from '../domain/work-session/resume-context.ts'
import { agentSessionOf, changesOf, updateAgentSession, updateResumed } from '../store/queries/agent-sessions.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { selectWorkSession } from '../store/queries/work-sessions.ts'
import { defineUseCase, type Tx } from '../store/store.ts'
import { endAgentSession, endingStreams, type MayEnd } from './agent-session-end.ts'
import { driveWorkSession } from './drive-work-session.ts'
import { answerOf, endReasonOf, type NextAnswer } from './find-next-action.ts'
import { nextStep, type Step } from './next-step.ts'
import { placeTask } from './place-task.ts'
import { contextOf } from './resume-context.ts'

export const takeNextAction = defineUseCase({
  name: 'take-next-action',
  streams: (input: Receiver & MayEnd) => [...endingStreams(input), conversationStream(webKey(input.projectId, input.agentId))],
  run: async (tx, { openConversations, ...caller }, context): Promise<NextAnswer> => {
    const step = await nextStep(tx, caller, context.now)
    const reason = endReasonOf(step.next)
    if (reason !== null) await endAgentSession(tx, step.agentSession, { reason, openConversations }, context)
    const task = step.places && step.task ? await placeTask(tx, step.task, step.agentSession, context) : step.task
    const takesUp = step.places ? (task?.session_id ?? null) : step.takesUp
    if (takesUp !== null && takesUp !== step.agentSession.workSessionId) await takeUp(tx, step, takesUp)
    return { ...answerOf({ ...step, task }), resumeContext: await handOver(tx, step) }
  },
})

/** RS2: what is known about the work it takes up, handed over once. */
async function handOver(tx: Tx, { agentSession, resumes }: Step): Promise<ResumeContext | null> {
  const row = resumes === null ? undefined : await tx.first(selectWorkSession, { id: resumes })
  if (!row) return null
  await tx.write(updateResumed, { id: agentSession.id, workSessionId: row.id })
  return contextOf(tx, row)
}

async function takeUp(tx: Tx, { agentSession }: Step, workSessionId: string): Promise<void> {
  const changed = { ...agentSession, workSessionId }
  await tx.write(updateAgentSession, changesOf(changed))
  await driveWorkSession(tx, workSessionId, agentSession.id)
  tx.append(projectStream(agentSession.projectId), {
    type: 'agent-session-changed',
    data: { agentSession: agentSessionOf(changed) },
  })
}
