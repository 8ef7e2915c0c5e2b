/** Reads a project's settings and whether an agent is assigned to it. */

import { effectiveSettings, type ProjectSettings } from '../../domain/projects/settings.ts'
import { selectAssignment } from '../../store/projects/projects.ts'
import type { Reader } from '../../store/store.ts'
import { noSuchAgent, noSuchProject } from '../refusals.ts'

export const isAssigned = async (
  reader: Reader,
  pair: { projectId: string; agentId: string },
): Promise<boolean> =>
  (await reader.first(selectAssignment, { project_id: pair.projectId, agent_id: pair.agentId })) !==
  undefined

export async function checkAssigned(
  reader: Reader,
  { projectId, agentId }: { projectId: string; agentId: string },
): Promise<void> {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  if (!(await isAssigned(reader, { projectId, agentId }))) throw noSuchAgent(agentId)
}

/** Parsed settings kept in memory. Few projects choose any. */
const maxCachedSettings = 200
const settingsCache = new Map<string, ProjectSettings>()

/**
 * The effective settings of a project. A deleted project has the defaults, so that its remains can
 * end.
 */
export async function settingsOf(reader: Reader, projectId: string): Promise<ProjectSettings> {
  return settingsFrom((await reader.row('projects', { id: projectId }))?.settings ?? null)
}

/** Parses stored settings. Null means that the project is deleted. */
export function settingsFrom(text: string | null): ProjectSettings {
  const cached = settingsCache.get(text ?? '{}')
  if (cached) return cached
  const settings = effectiveSettings(text === null ? {} : JSON.parse(text))
  if (settingsCache.size >= maxCachedSettings) settingsCache.clear()
  settingsCache.set(text ?? '{}', settings)
  return settings
}
