/** An agent saves the state of the work it is at (`save_checkpoint`). This is activity (AS6). */
import type * as z from 'zod'
import { afterActivity } from '../domain/agent-session/lifecycle.ts'
import { projectStream } from '../domain/stream/name.ts'
import type { Checkpoint, CheckpointRequest } from '../protocol/checkpoint.ts'
import { changesOf, updateActivity } from '../store/queries/agent-sessions.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { defineUseCase } from '../store/store.ts'
import { existingWorkSession } from './existing-work-session.ts'
import { liveAgentSession } from './live-agent-session.ts'
import { atNoWork } from './refusals.ts'
import { saveAsAsked } from './save-as-asked.ts'

type Input = Receiver & { asked: z.output<typeof CheckpointRequest> }

export const saveMyCheckpoint = defineUseCase({
  name: 'save-my-checkpoint',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, input: Input, { now }): Promise<{ workSessionId: string; checkpoint: Checkpoint }> => {
    const agentSession = await liveAgentSession(tx, input)
    const { projectId, workSessionId } = agentSession
    if (workSessionId === null) throw atNoWork()
    const row = await existingWorkSession(tx, { projectId, workSessionId })
    const checkpoint = await saveAsAsked(tx, row, input.asked, now)
    await tx.write(updateActivity, changesOf(afterActivity(now, agentSession, 'progress')))
    return { workSessionId, checkpoint }
  },
})
