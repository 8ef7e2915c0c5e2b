/**
 * `<data>/projects/{project_id}/` (CK2): `project.json`, and a folder for each work session. The
 * folder of a deleted project stays, without that file.
 */
import { join } from 'node:path'
import { type ProjectFile, projectFileVersion } from '../protocol/projects/project.ts'
import { chosenSettings } from '../store/projects/projects.ts'
import { jsonFolder } from './json-folder.ts'
import { type ImportApproaches, writeWorkSessions } from './work-session-folders.ts'

const folder = (importApproaches?: ImportApproaches) =>
  jsonFolder({
    kind: 'project',
    path: (id) => join('projects', id),
    contents: async (reader, id) => {
      const row = await reader.row('projects', { id })
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
    inside: writeWorkSessions(importApproaches),
  })

/** For an export: nothing is read from the files. */
export const projectFolder = folder()

/** For the running server: also imports what people write into the files (AR3). */
export const projectFolderWith = (importApproaches: ImportApproaches) => folder(importApproaches)
