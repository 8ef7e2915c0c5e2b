/** `<data>/projects/{project_id}/project.json` (CK2). A deleted project's folder stays, without this file. */
import { join } from 'node:path'
import { type ProjectFile, projectFileVersion } from '../protocol/project.ts'
import { chosenSettings, selectProject } from '../store/queries/projects.ts'
import { jsonFolder } from './json-folder.ts'

export const projectFolder = jsonFolder({
  kind: 'project',
  path: (id) => join('projects', id),
  contents: async (reader, id) => {
    const row = await reader.first(selectProject, { id })
    if (!row) return { 'project.json': null }
    const file: ProjectFile = {
      schema_version: projectFileVersion,
      id: row.id,
      name: row.name,
      path: row.path,
      settings: chosenSettings(row),
      created_at: row.created_at,
    }
    return { 'project.json': file }
  },
})
