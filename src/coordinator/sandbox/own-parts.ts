/**
 * What an agent's settings hold of conversations, apart for each owner (SB12): a folder of the
 * owner's is mounted where the agent looks for it, and the machine's own stays as it is. A new one
 * is begun with the owner's ACP sessions and with nothing else.
 */
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { KnownAgent } from '../../protocol/agents/known-agent.ts'
import type { TranscriptOwner } from '../../protocol/processes/link.ts'
import { DetailError, statusNotice } from '../../protocol/status-texts.ts'
import type { Mount } from './profile.ts'
import { copySessions } from './session-database.ts'

/** Upper bound of what is looked through for the sessions of an owner. */
const maxLooked = 50_000

export interface OwnPartsOptions {
  readonly agent: Pick<KnownAgent, 'id' | 'sandbox'>
  readonly owner: TranscriptOwner
  /** The folder with the parts of all owners. */
  readonly root: string
  /** Where the agent looks for what has this name in home. */
  readonly placeOf: (name: string) => string
  readonly home: string
}

export async function ownParts({
  agent,
  owner,
  root,
  placeOf,
  home,
}: OwnPartsOptions): Promise<Mount[]> {
  const { folders, files, shared } = agent.sandbox.own
  const partOf = (name: string): string =>
    join(root, encodeURIComponent(owner.id), agent.id, encodeURIComponent(name))
  const mounts: Mount[] = []
  for (const name of folders) {
    const [from, to] = [partOf(name), placeOf(name)]
    mustBe('isDirectory', to)
    if (!existsSync(from)) await begin(from, to, owner.acpSessions)
    mkdirSync(to, { recursive: true, mode: 0o700 })
    mounts.push({ kind: 'write', from, to })
    // A variable leads the agent elsewhere, and other settings in home are shown.
    const usual = join(home, name)
    if (usual !== to && existsSync(usual)) mounts.push({ kind: 'empty', to: usual })
  }
  for (const name of files) {
    const [from, to] = [partOf(name), placeOf(name)]
    mustBe('isFile', to)
    mkdirSync(dirname(from), { recursive: true, mode: 0o700 })
    if (!existsSync(from)) await writeFile(from, '', { mode: 0o600 })
    mounts.push({ kind: 'write', from, to })
  }
  // The sign-in, where a folder that is the owner's holds it: copies of a token log each other out.
  for (const to of shared.map(placeOf))
    if (isPlain(to)) mounts.push({ kind: 'write', from: to, to })
  return mounts
}

/** A link in its place would lead the mount elsewhere. */
function mustBe(kind: 'isFile' | 'isDirectory', place: string): void {
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (found && !found[kind]()) throw new DetailError(statusNotice('settingsNotPlain', { place }))
}

const isPlain = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true || found?.isDirectory() === true
}

/** Whole or not at all: a start that is cut off begins it anew. */
async function begin(part: string, place: string, acpSessions: readonly string[]): Promise<void> {
  const unfinished = `${part}.new`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true, mode: 0o700 })
  if (acpSessions.length > 0) await copyNamed(place, unfinished, new Set(acpSessions))
  await rename(unfinished, part)
}

/**
 * Copies the files and folders that are named after one of the sessions, and of databases their
 * rows. No link is followed.
 */
async function copyNamed(place: string, part: string, ids: ReadonlySet<string>): Promise<void> {
  let looked = 0
  const look = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (looked++ >= maxLooked) return
      const path = join(folder, entry.name)
      const copy = join(part, relative(place, path))
      const isNamed = (entry.isFile() || entry.isDirectory()) && isNameOf(path, ids, entry.isFile())
      if (isNamed) {
        await mkdir(dirname(copy), { recursive: true, mode: 0o700 })
        if (entry.isFile()) await copyFile(path, copy)
        else
          await cp(path, copy, {
            recursive: true,
            filter: (from) => !lstatSync(from).isSymbolicLink(),
          })
      } else if (entry.isDirectory()) await look(path)
      else if (entry.isFile() && /\.(db|sqlite)$/.test(entry.name))
        await copySessions(path, copy, [...ids])
    }
  }
  await look(place)
}

const nameWithId = /(ses_\w+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/i
/** Named after the beginning of an id, so the file itself must say which. */
const nameWithBeginning = /-([0-9a-f]{8})\.jsonl?$/
const maxHeadBytes = 4096

function isNameOf(path: string, ids: ReadonlySet<string>, isFile: boolean): boolean {
  const name = basename(path)
  const id = nameWithId.exec(name)?.[1] ?? name.replace(/\.jsonl?$/, '')
  if (ids.has(id)) return true
  const beginning = isFile && nameWithBeginning.exec(name)?.[1]
  const meant = beginning && [...ids].filter((each) => each.startsWith(beginning))
  return meant ? meant.some((each) => headOf(path).includes(each)) : false
}

function headOf(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const buffer = Buffer.alloc(maxHeadBytes)
    return buffer.toString('latin1', 0, readSync(file, buffer))
  } finally {
    closeSync(file)
  }
}
