/** Dismisses interrupted work from reminders (WK6). It can still be resumed. A repeated request changes nothing. */
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { WorkSession } from '../../protocol/work/work-session.ts'
import { defineUseCase } from '../../store/store.ts'
import { updateWorkSession, workSessionOf } from '../../store/work/work-sessions.ts'
import { existingWorkSession } from './work-session-record.ts'

interface Input {
  readonly projectId: string
  readonly workSessionId: string
}

export const dismissWorkSession = defineUseCase({
  name: 'dismiss-work-session',
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, place, { now }): Promise<WorkSession> => {
    const row = await existingWorkSession(tx, place)
    const { state } = workSessionOf(row)
    if (state !== 'interrupted')
      throw new Refusal('wrong_state', refusalText('workNotInterrupted', { state }), { state, wanted: 'interrupted' })
    if (row.dismissed_at !== null) return workSessionOf(row)
    const dismissed = { ...row, dismissed_at: now }
    await tx.write(updateWorkSession, dismissed)
    const workSession = workSessionOf(dismissed)
    tx.append(projectStream(row.project_id), { type: 'work-session-changed', data: { workSession } }, [home])
    return workSession
  },
})
