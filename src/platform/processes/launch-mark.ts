/**
 * The environment variables that mark every process of a launch and are inherited by its children:
 * the launch, and the data folder of the coordinator that started it, so that one Holdfast never
 * takes another's agents for its own.
 */
import { hash } from 'node:crypto'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../files/atomic-file.ts'
import { runFolder } from '../files/data-folder.ts'
import { randomText } from '../secrets/randomness.ts'

export interface LaunchMark {
  readonly launchId: string
  readonly folderId: string
}

export const launchVariable = 'HOLDFAST_LAUNCH_ID'
export const folderVariable = 'HOLDFAST_LAUNCH_KEEPER'

/** Reads the mark from `NAME=value` entries. */
export function markIn(variables: Iterable<string>): LaunchMark | undefined {
  let launchId: string | undefined
  let folderId: string | undefined
  for (const variable of variables) {
    if (variable.startsWith(`${launchVariable}=`))
      launchId = variable.slice(launchVariable.length + 1)
    else if (variable.startsWith(`${folderVariable}=`))
      folderId = variable.slice(folderVariable.length + 1)
  }
  return launchId && folderId ? { launchId, folderId } : undefined
}

export const markVariables = ({ launchId, folderId }: LaunchMark): Record<string, string> => ({
  [launchVariable]: launchId,
  [folderVariable]: folderId,
})

/**
 * The id of a data folder: stays when it is moved on its disk, differs for a copy, which must not
 * end the original's agents.
 */
export async function folderIdOf(data: string): Promise<string> {
  const file = join(runFolder(data), 'keeper')
  let id = await readFile(file, 'utf8').catch(() => '')
  if (!/^[a-z0-9]{20}$/.test(id)) {
    id = randomText(20)
    await mkdir(runFolder(data), { recursive: true, mode: 0o700 })
    await writeFileAtomic(file, id)
  }
  const { dev, ino } = await stat(data)
  return hash('sha256', `${id} ${dev} ${ino}`, 'base64url').slice(0, 22)
}
