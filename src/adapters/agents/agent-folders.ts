/**
 * The folders of the agents that Holdfast has installed (AG18), below the data folder. One counts
 * from the moment its mark is written: what was cut short is installed anew.
 */
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'

export const agentFolder = (data: string, agent: string): string => join(data, 'agents', agent)

export const programFolder = (folder: string): string => join(folder, 'node_modules', '.bin')

const markOf = (folder: string): string => join(folder, 'installed.json')

export const markIn = (folder: string): boolean => existsSync(markOf(folder))

export const markInstalled = (folder: string, what: object): Promise<void> =>
  writeFileAtomic(markOf(folder), `${JSON.stringify(what, null, 2)}\n`)

/** The folders with the programs of those that are installed. */
export function installedProgramFolders(data: string): string[] {
  const root = join(data, 'agents')
  if (!existsSync(root)) return []
  return readdirSync(root)
    .map((agent) => agentFolder(data, agent))
    .filter(markIn)
    .map(programFolder)
}

export const removeAgentFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3 })
