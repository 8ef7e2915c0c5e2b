/**
 * Saved talks of the demo agent, one file each, as installed agents keep them: `session/load` reads them after a crash. A talk
 * without turns is not saved.
 */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { parsedJson } from '../../platform/json.ts'

interface Turn {
  readonly asked: string
  readonly answered: string
}

export interface Talk {
  readonly id: string
  readonly folder: string
  readonly turns: Turn[]
}

const maxTurns = 100
const maxText = 10_000
const maxTalks = 200

export async function keepTalk(folder: string, { id, turns }: Talk): Promise<void> {
  turns.splice(0, turns.length - maxTurns)
  const kept = turns.map(({ asked, answered }) => ({
    asked: asked.slice(0, maxText),
    answered: answered.slice(0, maxText),
  }))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFileAtomic(fileOf(folder, id), JSON.stringify(kept))
  await forgetOldest(folder)
}

/** Returns undefined when there is no such talk. */
export async function recallTalk(folder: string, id: string): Promise<Turn[] | undefined> {
  if (!/^[0-9a-f-]{36}$/.test(id)) return undefined
  return readFile(fileOf(folder, id), 'utf8').then(parsedJson, () => undefined) as Promise<Turn[] | undefined>
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= maxTalks) return
  const found = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  )
  const oldest = found.sort((a, b) => a.at - b.at).slice(0, names.length - maxTalks)
  await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })))
}

const fileOf = (folder: string, id: string): string => join(folder, `${id}.json`)
