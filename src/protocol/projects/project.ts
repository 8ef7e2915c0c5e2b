/** Projects as they cross the wire, and `project.json` as it lies beside the database (CK2). */

import * as z from 'zod'
import { folderStates } from '../../domain/projects/folder-states.ts'
import { refusedAs } from '../notices.ts'
import { line, Time } from '../text.ts'

/** Values are checked by domain/projects/settings.ts; `null` restores the default. */
const SettingsChange = z.record(
  z.string().max(100),
  z.union([z.number(), z.string().max(200), z.null()]),
)

/** An absolute path on the machine that runs the agents; never opened by the server. */
export const ProjectPath = line(4096).refine(
  (path) => /^(?:\/|[A-Za-z]:[\\/])/.test(path) && !path.split(/[\\/]/).includes('..'),
  refusedAs('absolutePath'),
)

export const Project = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string().nullable(),
  /** The state of the path now; in answers about projects, not in events. */
  folder: z.enum(folderStates).optional(),
  /** The set values, with defaults for the rest. */
  settings: z.record(z.string(), z.union([z.number(), z.string()])),
  agentIds: z.array(z.string()),
  createdAt: Time,
  updatedAt: Time,
})
export type Project = z.output<typeof Project>

export const ProjectDraft = z.strictObject({
  name: line(200),
  path: ProjectPath.nullish(),
  settings: SettingsChange.optional(),
})

export const ProjectChange = ProjectDraft.partial()

export const projectFileVersion = '1.0'

export const ProjectFile = z.object({
  schema_version: z.literal(projectFileVersion),
  id: z.string(),
  name: z.string(),
  path: z.string().nullable(),
  settings: z.record(z.string(), z.union([z.number(), z.string()])),
  created_at: Time,
})
export type ProjectFile = z.output<typeof ProjectFile>
