/** Saves the state of a work session because somebody asks for it (CK1), with what they say about it. */
import type * as z from 'zod'
import { projectStream } from '../domain/stream/name.ts'
import type { Checkpoint, CheckpointRequest } from '../protocol/checkpoint.ts'
import { defineUseCase } from '../store/store.ts'
import { existingWorkSession } from './existing-work-session.ts'
import { saveAsAsked } from './save-as-asked.ts'

type Input = z.output<typeof CheckpointRequest> & { projectId: string; workSessionId: string }

export const saveCheckpoint = defineUseCase({
  name: 'save-checkpoint',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, ...asked }: Input, { now }): Promise<Checkpoint> =>
    saveAsAsked(tx, await existingWorkSession(tx, { projectId, workSessionId }), asked, now),
})
