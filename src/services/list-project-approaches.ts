/** Lists all that was learned in a project, by id, page by page (UI2). */
import type { ApproachKind } from '../domain/approach/lifecycle.ts'
import type { Approach } from '../protocol/approach.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { approachesOfProject, approachOf } from '../store/queries/approaches.ts'
import { cutNamePage, nameAfter } from '../store/queries/name-cursor.ts'
import { selectProject } from '../store/queries/projects.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

type Input = PageQuery & { projectId: string; kind?: ApproachKind | undefined }

export const listProjectApproaches = defineQuery({
  name: 'list-project-approaches',
  run: async (reader, { projectId, kind, limit, cursor }: Input): Promise<Page<Approach>> => {
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    const found = await approachesOfProject(reader, { projectId, after: nameAfter(cursor), limit: limit + 1, kind })
    const { items, nextCursor } = cutNamePage(
      found.map((row) => ({ name: row.id, row })),
      limit,
    )
    return { items: items.map(({ row }) => approachOf(row)), nextCursor }
  },
})
