/** The newest work sessions of a project with what happened in each, for the picture of who was resumed from whom (UI2). */
import { type Lineage, lineageMarks, lineageSize } from '../protocol/lineage.ts'
import { marksOf } from '../store/queries/lineage-marks.ts'
import { newest } from '../store/queries/page-cursor.ts'
import { selectProject } from '../store/queries/projects.ts'
import { workSessionsPage } from '../store/queries/work-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

export const getLineage = defineQuery({
  name: 'get-lineage',
  run: async (reader, { projectId }: { projectId: string }): Promise<Lineage> => {
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    const found = await workSessionsPage(reader, projectId, { ...newest, limit: lineageSize })
    const items: Lineage['items'] = []
    for (const workSession of found) items.push({ ...workSession, ...(await marksOf(reader, workSession.id, lineageMarks)) })
    return { items }
  },
})
