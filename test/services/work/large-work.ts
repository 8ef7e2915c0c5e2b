/** Work as it is after a year, put into the tables at once. */

import { projectStream } from '../../../src/domain/stream-name.ts'
import { approachId, contentOf } from '../../../src/domain/work/approach-lifecycle.ts'
import { defineUseCase } from '../../../src/store/store.ts'
import { approachColumns } from '../../../src/store/work/approaches.ts'

interface Place {
  readonly projectId: string
  readonly workSessionId: string
  readonly count: number
}

const kinds = ['verified', 'failed', 'untried'] as const

/**
 * A third of each kind; of what failed every other is to be avoided, and every untried one is next.
 */
export const placeApproaches = defineUseCase('place-approaches', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: Place) => [projectStream(projectId)],
  run: async (tx, { projectId, workSessionId, count }, { now }) => {
    for (let nth = 0; nth < count; nth++) {
      const kind = kinds[nth % kinds.length] ?? 'failed'
      const number = Math.floor(nth / kinds.length) + 1
      const id = approachId(kind, number)
      const words = {
        category: 'bench',
        description: `way ${nth} of doing it`,
        details: { method: 'x'.repeat(200) },
      }
      const content = contentOf(kind, {
        ...words,
        learnings: ['y'.repeat(100)],
        avoid: number % 2 === 0,
        nextToTry: true,
      })
      const columns = approachColumns({ id, kind, date: now.slice(0, 10), ...content, history: [] })
      const key = { project_id: projectId, session_id: workSessionId, id, first_kind: kind, number }
      await tx.insert('approaches', { ...key, ...columns, recorded_at: now, updated_at: now })
    }
  },
})

/** Copies of one, each a second younger. */
export const placeWorkSessions = defineUseCase('place-work-sessions', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: Place) => [projectStream(projectId)],
  run: async (tx, { workSessionId, count }) => {
    const row = await tx.row('sessions', { id: workSessionId })
    if (!row) throw new Error('It is not there')
    for (let nth = 0; nth < count; nth++) {
      const started_at = new Date(Date.parse(row.started_at) + nth * 1000).toISOString()
      await tx.insert('sessions', {
        ...row,
        id: `sess_copy_${String(nth).padStart(6, '0')}`,
        started_at,
      })
    }
  },
})
