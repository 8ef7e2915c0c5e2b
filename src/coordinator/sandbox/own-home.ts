/**
 * SB14: an agent whose settings nobody knows has a whole home for each owner, kept between its
 * processes. It begins with copies of what `allow.state` names of the account's home, and with
 * nothing else. What it names is opened name by name and never through a link, because other agents
 * may write there meanwhile. Linux only, as the sandbox that has such a home.
 */
import { constants, existsSync } from 'node:fs'
import {
  chmod,
  copyFile,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isBelow } from '../../platform/files/path-inside.ts'
import type { TranscriptOwner } from '../../protocol/processes/link.ts'
import { DetailError, statusNotice } from '../../protocol/status-texts.ts'
import { isDataFolder, isInDataFolder } from './data-folders.ts'
import type { Mount } from './profile.ts'

/** Upper bounds of what a home begins with: a start waits for the copy, and each owner has one. */
const maxStateMb = 256
const maxStateFiles = 20_000
const maxStateDepth = 64

export interface OwnHomeOptions {
  readonly agentId: string
  readonly owner: TranscriptOwner
  /** The folder with the parts of all owners. */
  readonly root: string
  /** The account's, by each of its names; the agent's own is mounted at the first. */
  readonly homes: readonly [string, ...string[]]
  /** What a new one begins with: files and folders in the account's. */
  readonly state: readonly string[]
}

/** Two processes that begin at once wait for the same home. */
const beginning = new Map<string, Promise<void>>()

export async function ownHome({
  agentId,
  owner,
  root,
  homes,
  state,
}: OwnHomeOptions): Promise<Mount[]> {
  const from = join(root, encodeURIComponent(owner.id), 'homes', encodeURIComponent(agentId))
  if (!existsSync(from) || beginning.has(from)) {
    const begun =
      beginning.get(from) ?? begin(from, homes, state).finally(() => beginning.delete(from))
    beginning.set(from, begun)
    await begun
  }
  return [{ kind: 'write', from, to: homes[0] }]
}

/** Whole or not at all: a start that fails or is cut off begins it anew. */
async function begin(
  place: string,
  homes: OwnHomeOptions['homes'],
  state: readonly string[],
): Promise<void> {
  const unfinished = `${place}.new`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true, mode: 0o700 })
  const copy = new StateCopy(homes[0], unfinished)
  for (const path of state.filter((each) => !state.some((other) => isBelow(other, each)))) {
    const home = homes.find((each) => isBelow(each, path))
    if (home === undefined || isInDataFolder(path))
      throw new DetailError(statusNotice('stateNotInHome', { path, home: homes[0] }))
    await copy.take(relative(home, path))
  }
  await rename(unfinished, place)
}

const errorsOfLinks = ['ENOENT', 'ELOOP', 'ENOTDIR']

class StateCopy {
  readonly #home: string
  readonly #to: string
  #bytes = 0
  #files = 0

  constructor(home: string, to: string) {
    this.#home = home
    this.#to = to
  }

  async take(name: string): Promise<void> {
    const words = name.split('/').filter((word) => word !== '')
    const step = async (folder: string, index: number): Promise<void> => {
      const word = words[index] ?? ''
      const to = join(this.#to, ...words.slice(0, index + 1))
      if (index === words.length - 1) return this.#entry(join(folder, word), to, 0)
      await mkdir(to, { recursive: true, mode: 0o700 })
      await inFolder(join(folder, word), (below) => step(below, index + 1))
    }
    try {
      await inFolder(`${this.#home}/.`, (folder) => step(folder, 0))
    } catch (error) {
      if (!errorsOfLinks.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
      throw new DetailError(statusNotice('stateNotPlain', { path: join(this.#home, name) }))
    }
  }

  async #entry(from: string, to: string, depth: number): Promise<void> {
    this.#count(0, depth)
    const handle = await open(
      from,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    )
    const opened = `/proc/self/fd/${handle.fd}`
    try {
      const found = await handle.stat()
      if (found.isFile()) {
        this.#count(found.size, depth)
        await mkdir(dirname(to), { recursive: true, mode: 0o700 })
        await copyFile(opened, to)
        await chmod(to, found.mode & 0o700)
      } else if (found.isDirectory()) await this.#folder(opened, to, depth)
    } finally {
      await handle.close()
    }
  }

  /**
   * A link stays a link: what it leads to is not copied. Sockets and the like are left out, and
   * what a server keeps.
   */
  async #folder(from: string, to: string, depth: number): Promise<void> {
    if (isDataFolder(from)) return
    await mkdir(to, { recursive: true, mode: 0o700 })
    for (const entry of await readdir(from, { withFileTypes: true })) {
      const [path, copy] = [join(from, entry.name), join(to, entry.name)]
      if (entry.isSymbolicLink()) {
        this.#count(0, depth)
        await symlink(await readlink(path), copy)
      } else if (entry.isFile() || entry.isDirectory()) await this.#entry(path, copy, depth + 1)
    }
  }

  #count(bytes: number, depth: number): void {
    this.#bytes += bytes
    this.#files += bytes === 0 ? 1 : 0
    if (
      this.#bytes <= maxStateMb * 1024 ** 2 &&
      this.#files <= maxStateFiles &&
      depth <= maxStateDepth
    )
      return
    throw new DetailError(statusNotice('stateTooLarge', { most: maxStateMb, files: maxStateFiles }))
  }
}

async function inFolder<Result>(
  path: string,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    return await use(`/proc/self/fd/${handle.fd}`)
  } finally {
    await handle.close()
  }
}
