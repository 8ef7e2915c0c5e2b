/**
 * `<data>/moved.json` marks a data folder whose database was moved to PostgreSQL (SC1). A start
 * without `DATABASE_URL` is refused with the new address and the way back. Restoring a backup into
 * the folder removes the mark.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldsOf, parsedJson } from '../json.ts'
import { StartFailure } from '../processes/start-failure.ts'
import { writeFileAtomic } from './atomic-file.ts'

interface Moved {
  /** The address of PostgreSQL, without user and password. */
  readonly to: string
  readonly at: string
}

const movedFile = (data: string): string => join(data, 'moved.json')

export const markMoved = (data: string, moved: Moved): Promise<void> =>
  writeFileAtomic(movedFile(data), `${JSON.stringify(moved, null, 2)}\n`)

export const unmarkMoved = (data: string): Promise<void> => rm(movedFile(data), { force: true })

/** Throws for a folder whose database was moved away. */
export async function requireNotMoved(data: string): Promise<void> {
  const file = movedFile(data)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return
  throw new StartFailure(
    `The database of ${data} was moved to ${newLocation(text)}; the one in the folder is what it was then.`,
    `Set DATABASE_URL to where it is now. To go on with the old one, without what was written since, delete ${file}; to bring everything back, make a backup with DATABASE_URL set and restore it without.`,
  )
}

/** The mark counts whatever its content. */
function newLocation(text: string): string {
  const { to, at } = fieldsOf(parsedJson(text))
  return typeof at === 'string' ? `${to} on ${at.slice(0, 10)}` : 'PostgreSQL'
}
