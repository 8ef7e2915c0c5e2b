/** The settings that apply in a project; those of one that is gone are the defaults, so that what is left of it can end. */
import { effectiveSettings, type ProjectSettings } from '../domain/project/settings.ts'
import { selectProject } from '../store/queries/projects.ts'
import type { Reader } from '../store/store.ts'

/** Of the texts that settings are stored as, those whose meaning is remembered. Few projects choose anything. */
const mostRemembered = 200
const remembered = new Map<string, ProjectSettings>()

export async function settingsOf(reader: Reader, projectId: string): Promise<ProjectSettings> {
  return settingsFrom((await reader.first(selectProject, { id: projectId }))?.settings ?? null)
}

/** From the text they are stored as; null: the project is gone. */
export function settingsFrom(text: string | null): ProjectSettings {
  const known = remembered.get(text ?? '{}')
  if (known) return known
  const settings = effectiveSettings(text === null ? {} : JSON.parse(text))
  if (remembered.size >= mostRemembered) remembered.clear()
  remembered.set(text ?? '{}', settings)
  return settings
}
