/**
 * Ends a work session at a person's or script's request: completed, or interrupted with their reason (WK4). The same end twice
 * changes nothing.
 */

import type * as z from 'zod'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import { endAsAsked } from '../../domain/work/work-session-lifecycle.ts'
import type { WorkSession, WorkSessionEnd } from '../../protocol/work/work-session.ts'
import { defineUseCase } from '../../store/store.ts'
import { workSessionOf } from '../../store/work/work-sessions.ts'
import { finishWorkSession } from './finish-work-session.ts'
import { existingWorkSession } from './work-session-record.ts'

type Input = z.output<typeof WorkSessionEnd> & { projectId: string; workSessionId: string }

export const endWorkSession = defineUseCase({
  name: 'end-work-session',
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, ...asked }: Input, { now }): Promise<WorkSession> => {
    const current = await existingWorkSession(tx, { projectId, workSessionId })
    const { row, decision } = await finishWorkSession(tx, current, endAsAsked(asked), now)
    if (decision.outcome !== 'refused') return workSessionOf(row)
    if (decision.refusal.code === 'work_session_completed')
      throw new Refusal('work_session_completed', undefined, { workSessionId })
    const { state } = decision.refusal
    throw new Refusal('wrong_state', refusalText('workCannotComplete', { state }), {
      state,
      wanted: 'completed',
    })
  },
})
