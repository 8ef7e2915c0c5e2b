/** Records what worked, what failed or what could be tried in a work session (AR1). */
import type * as z from 'zod'
import { projectStream } from '../domain/stream/name.ts'
import type { Approach, ApproachDraft } from '../protocol/approach.ts'
import { defineUseCase } from '../store/store.ts'
import { existingWorkSession } from './existing-work-session.ts'
import { keepApproach } from './keep-approach.ts'

type Input = z.output<typeof ApproachDraft> & { projectId: string; workSessionId: string; by: string }

export const recordApproach = defineUseCase({
  name: 'record-approach',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, by, ...draft }: Input, { now }): Promise<Approach> =>
    keepApproach(tx, await existingWorkSession(tx, { projectId, workSessionId }), draft, { by, now }),
})
