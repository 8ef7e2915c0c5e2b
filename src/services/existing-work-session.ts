/** A work session of a project; one of another project is not there. */
import { selectProject } from '../store/queries/projects.ts'
import { selectWorkSession, type WorkSessionRow } from '../store/queries/work-sessions.ts'
import type { Reader } from '../store/store.ts'
import { noSuchProject, noSuchWorkSession } from './refusals.ts'

interface Place {
  readonly projectId: string
  readonly workSessionId: string
}

export async function existingWorkSession(reader: Reader, { projectId, workSessionId }: Place): Promise<WorkSessionRow> {
  if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.first(selectWorkSession, { id: workSessionId })
  if (row?.project_id !== projectId) throw noSuchWorkSession(workSessionId)
  return row
}
