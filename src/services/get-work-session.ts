/** Reads a work session with everything that belongs to it (WK3). */
import { type WholeWorkSession, wholeListLimit } from '../protocol/work-session.ts'
import { approachesPage, approachOf } from '../store/queries/approaches.ts'
import { approvalsOfWorkSession } from '../store/queries/approvals.ts'
import { artifactsAfter } from '../store/queries/artifacts.ts'
import { checkpointsOf } from '../store/queries/checkpoints.ts'
import { newest } from '../store/queries/page-cursor.ts'
import { tasksPage } from '../store/queries/tasks.ts'
import { childrenOf, lineageOf, workSessionOf } from '../store/queries/work-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { existingWorkSession } from './existing-work-session.ts'
import { waitsForOf } from './plan-record.ts'

export const getWorkSession = defineQuery({
  name: 'get-work-session',
  run: async (reader, place: { projectId: string; workSessionId: string }): Promise<WholeWorkSession> => {
    const { workSessionId } = place
    const row = await existingWorkSession(reader, place)
    const page = { ...newest, limit: wholeListLimit }
    const approaches = await approachesPage(reader, await lineageOf(reader, row), page)
    return {
      ...workSessionOf(row),
      waitsFor: await waitsForOf(reader, row),
      tasks: await tasksPage(reader, place, page),
      approvals: await approvalsOfWorkSession(reader, workSessionId, wholeListLimit),
      approaches: approaches.map(approachOf),
      checkpoints: await checkpointsOf(reader, workSessionId, wholeListLimit),
      artifacts: await artifactsAfter(reader, { workSessionId, name: '' }, wholeListLimit),
      children: await childrenOf(reader, workSessionId, wholeListLimit),
    }
  },
})
