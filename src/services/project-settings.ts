/** The settings that apply in a project; those of one that is gone are the defaults, so that what is left of it can end. */
import { effectiveSettings, type ProjectSettings } from '../domain/project/settings.ts'
import { chosenSettings, selectProject } from '../store/queries/projects.ts'
import type { Reader } from '../store/store.ts'

export async function settingsOf(reader: Reader, projectId: string): Promise<ProjectSettings> {
  const row = await reader.first(selectProject, { id: projectId })
  return effectiveSettings(row ? chosenSettings(row) : {})
}
