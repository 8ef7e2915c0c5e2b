/** What use cases about a project share: its settings, and whether an agent is assigned to it. */

import { effectiveSettings, type ProjectSettings } from '../../domain/projects/settings.ts'
import { selectAssignment, selectProject } from '../../store/projects/projects.ts'
import type { Reader } from '../../store/store.ts'
import { noSuchAgent, noSuchProject } from '../refusals.ts'

/** Whether an agent may be spoken to in a project at all; one that is not assigned there is not there (404). */
export const isAssigned = async (reader: Reader, pair: { projectId: string; agentId: string }): Promise<boolean> =>
  (await reader.first(selectAssignment, { project_id: pair.projectId, agent_id: pair.agentId })) !== undefined

export async function checkAssigned(
  reader: Reader,
  { projectId, agentId }: { projectId: string; agentId: string },
): Promise<void> {
  if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
  if (!(await isAssigned(reader, { projectId, agentId }))) throw noSuchAgent(agentId)
}

/** Of the texts that settings are stored as, those whose meaning is remembered. Few projects choose anything. */
const mostRemembered = 200
const remembered = new Map<string, ProjectSettings>()

/** The settings that apply in a project; those of one that is gone are the defaults, so that what is left of it can end. */
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
