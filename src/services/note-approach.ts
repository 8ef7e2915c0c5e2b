/** An agent records an approach in the work it is at (`record_approach`). This is activity (AS6). */
import type * as z from 'zod'
import { afterActivity } from '../domain/agent-session/lifecycle.ts'
import { projectStream } from '../domain/stream/name.ts'
import type { Approach, ApproachDraft } from '../protocol/approach.ts'
import { changesOf, updateActivity } from '../store/queries/agent-sessions.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { defineUseCase } from '../store/store.ts'
import { existingWorkSession } from './existing-work-session.ts'
import { keepApproach } from './keep-approach.ts'
import { liveAgentSession } from './live-agent-session.ts'
import { atNoWork } from './refusals.ts'

type Input = Receiver & { draft: z.output<typeof ApproachDraft> }

export const noteApproach = defineUseCase({
  name: 'note-approach',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, input: Input, { now }): Promise<Approach> => {
    const agentSession = await liveAgentSession(tx, input)
    const { projectId, workSessionId, agentId } = agentSession
    if (workSessionId === null) throw atNoWork()
    const row = await existingWorkSession(tx, { projectId, workSessionId })
    const approach = await keepApproach(tx, row, input.draft, { by: agentId, now })
    await tx.write(updateActivity, changesOf(afterActivity(now, agentSession, 'progress')))
    return approach
  },
})
