/** Reads a work session with everything that belongs to it (WK3). */
import { type WholeWorkSession, wholeListLimit } from '../protocol/work-session.ts'
import { approvalsOfWorkSession } from '../store/queries/approvals.ts'
import { newest } from '../store/queries/page-cursor.ts'
import { tasksPage } from '../store/queries/tasks.ts'
import { childrenOf, workSessionOf } from '../store/queries/work-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { existingWorkSession } from './existing-work-session.ts'

export const getWorkSession = defineQuery({
  name: 'get-work-session',
  run: async (reader, place: { projectId: string; workSessionId: string }): Promise<WholeWorkSession> => {
    const { workSessionId } = place
    const row = await existingWorkSession(reader, place)
    return {
      ...workSessionOf(row),
      tasks: await tasksPage(reader, place, { ...newest, limit: wholeListLimit }),
      approvals: await approvalsOfWorkSession(reader, workSessionId, wholeListLimit),
      // Nothing records these three yet.
      approaches: [],
      checkpoints: [],
      artifacts: [],
      children: await childrenOf(reader, workSessionId, wholeListLimit),
    }
  },
})
