/** Lists the artifacts of a work session by name, page by page (HT1). */
import type { Artifact } from '../protocol/artifact.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { artifactsAfter } from '../store/queries/artifacts.ts'
import { cutNamePage, nameAfter } from '../store/queries/name-cursor.ts'
import { defineQuery } from '../store/store.ts'
import { existingWorkSession } from './existing-work-session.ts'

type Input = PageQuery & { projectId: string; workSessionId: string }

export const listArtifacts = defineQuery({
  name: 'list-artifacts',
  run: async (reader, { limit, cursor, ...place }: Input): Promise<Page<Artifact>> => {
    const { id: workSessionId } = await existingWorkSession(reader, place)
    const found = await artifactsAfter(reader, { workSessionId, name: nameAfter(cursor) }, limit + 1)
    return cutNamePage(found, limit)
  },
})
