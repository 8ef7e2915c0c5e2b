/** Lists the approaches of a work session, those of its ancestors included (AR2), newest first, page by page (HT1). */
import type { ApproachKind } from '../domain/approach/lifecycle.ts'
import type { Approach } from '../protocol/approach.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { approachesPage, approachOf } from '../store/queries/approaches.ts'
import { cutPageBy, pageParams } from '../store/queries/page-cursor.ts'
import { lineageOf } from '../store/queries/work-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { existingWorkSession } from './existing-work-session.ts'

type Input = PageQuery & { projectId: string; workSessionId: string; kind?: ApproachKind | undefined }

export const listApproaches = defineQuery({
  name: 'list-approaches',
  run: async (reader, { limit, cursor, kind, ...place }: Input): Promise<Page<Approach>> => {
    const lineage = await lineageOf(reader, await existingWorkSession(reader, place))
    const found = await approachesPage(reader, lineage, pageParams({ limit, cursor }), kind)
    return cutPageBy(found.map(approachOf), limit, ({ recordedAt, id }) => ({ createdAt: recordedAt, id }))
  },
})
