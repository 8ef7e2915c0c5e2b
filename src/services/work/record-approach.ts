/** Records what worked, failed or could be tried in a work session (AR1). */
import type * as z from 'zod'
import { afterActivity } from '../../domain/agent-sessions/lifecycle.ts'
import { projectStream } from '../../domain/stream-name.ts'
import type { Approach, ApproachDraft } from '../../protocol/work/approach.ts'
import { changesOf, updateActivity } from '../../store/agent-sessions/agent-sessions.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import { defineUseCase } from '../../store/store.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { noWorkSession } from '../refusals.ts'
import { addApproach } from './approach-record.ts'
import { existingWorkSession } from './work-session-record.ts'

type Input = z.output<typeof ApproachDraft> & { projectId: string; workSessionId: string; by: string }

export const recordApproach = defineUseCase({
  name: 'record-approach',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, by, ...draft }: Input, { now }): Promise<Approach> =>
    addApproach(tx, await existingWorkSession(tx, { projectId, workSessionId }), draft, { by, now }),
})

type AgentInput = Receiver & { draft: z.output<typeof ApproachDraft> }

/** Records an approach in the agent's current work (`record_approach`). Counts as activity (AS6). */
export const recordAgentApproach = defineUseCase({
  name: 'record-agent-approach',
  streams: ({ projectId }: AgentInput) => [projectStream(projectId)],
  run: async (tx, input: AgentInput, { now }): Promise<Approach> => {
    const agentSession = await liveAgentSession(tx, input)
    const { projectId, workSessionId, agentId } = agentSession
    if (workSessionId === null) throw noWorkSession()
    const row = await existingWorkSession(tx, { projectId, workSessionId })
    const approach = await addApproach(tx, row, input.draft, { by: agentId, now })
    await tx.write(updateActivity, changesOf(afterActivity(now, agentSession, 'progress')))
    return approach
  },
})
