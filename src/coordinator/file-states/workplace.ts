/**
 * A private git directory for the states of a git workplace (FS1). It has its own index and
 * configuration and shares only the repository's object store; its files are taken byte for byte.
 * Refs are moved in the checkout's other directory of ours, which links them
 * (worktrees/private-directory.ts).
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RepositoryFacts } from '../worktrees/find-repository.ts'
import type { Git, GitOptions, GitPlace, GitResult } from '../worktrees/git.ts'
import { personsSettings } from '../worktrees/git-settings.ts'
import { configFor, copyExclude } from '../worktrees/private-directory.ts'
import { openRepository, Repository } from '../worktrees/repository.ts'

/** Time limit for reading and writing all files of a large workplace. */
const wholeTreeMs = 600_000
const maxListBytes = 64 * 1024 * 1024
/** A ref is locked for some milliseconds. */
const lockMs = 500
/** Packing takes seconds. */
const packedLockMs = 600_000
export const packedRefs = 'packed-refs'

const rawFiles = '* -text -eol -filter -ident -working-tree-encoding\n'

interface IndexMemory {
  tree: string | undefined
  /** The person's index and ignore rules, as last compared. */
  ignoredSeen: string
}

export class Workplace {
  readonly repository: Repository
  readonly facts: RepositoryFacts
  readonly dir: string
  readonly indexFile: string
  /** Shared by all who opened the same workplace. */
  readonly memory: IndexMemory
  readonly #git: Git
  readonly #place: GitPlace
  readonly #excludesFile: string

  constructor(
    git: Git,
    repository: Repository,
    dir: string,
    memory: IndexMemory,
    excludesFile: string,
  ) {
    this.#git = git
    this.#place = { ...repository.place, dir }
    this.memory = memory
    this.repository = repository
    this.facts = repository.facts
    this.dir = dir
    this.indexFile = join(dir, 'index')
    this.#excludesFile = excludesFile
  }

  async run(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.bytes(args, options)).toString()
  }

  bytes(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
    return this.#git.bytes(this.#place, args, this.#private(options))
  }

  try(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    return this.#git.try(this.#place, args, this.#private(options))
  }

  /** Runs git on the repository's refs. */
  refs(args: readonly string[], input = ''): Promise<string> {
    return this.repository.run(args, { input })
  }

  /** Removes what an interrupted git left behind, after ending it if it still runs. */
  async recover(): Promise<void> {
    if (!existsSync(`${this.indexFile}.lock`)) return
    for (const pid of await processesOf(this.dir)) process.kill(pid, 'SIGKILL')
    await rm(`${this.indexFile}.lock`, { force: true })
  }

  /**
   * Waits for the lock of a ref of ours, or of all packed refs, and removes one that a killed git
   * left behind.
   */
  async clearLock(ref: string): Promise<void> {
    const lock = join(this.facts.commonFolder, `${ref}.lock`)
    const found = await stat(lock).catch(() => undefined)
    // The lock of all may be the person's own, who packs many refs.
    if (!found || (ref === packedRefs && this.#git.now() - found.mtimeMs < packedLockMs)) return
    await new Promise((resolve) => setTimeout(resolve, lockMs))
    const now = await stat(lock).catch(() => undefined)
    if (now?.ino === found.ino && (await processesOf(this.repository.place.dir)).length === 0)
      await rm(lock, { force: true })
  }

  /** Forgets the index. The next state reads every file. */
  async dropIndex(): Promise<void> {
    Object.assign(this.memory, { tree: undefined, ignoredSeen: '' })
    await rm(this.indexFile, { force: true })
  }

  #private({ env, config, ...options }: GitOptions): GitOptions {
    return {
      timeoutMs: wholeTreeMs,
      maxBytes: maxListBytes,
      ...options,
      config: {
        ...config,
        ...(this.#excludesFile !== '' && { 'core.excludesFile': this.#excludesFile }),
      },
      env: {
        GIT_OBJECT_DIRECTORY: join(this.facts.commonFolder, 'objects'),
        GIT_INDEX_FILE: this.indexFile,
        ...env,
      },
    }
  }
}

/** Opens the workplaces of this machine; each has one private directory. */
export class Workplaces {
  readonly #git: Git
  readonly #memories = new Map<string, IndexMemory>()

  constructor(git: Git) {
    this.#git = git
  }

  /** Undefined when the folder is in no repository with a commit. */
  async open(folder: string): Promise<Workplace | undefined> {
    const repository = await openRepository(this.#git, folder)
    if (!(repository instanceof Repository)) return undefined
    const { top, commonFolder, head } = repository.facts
    const dir = this.#git.folderFor(commonFolder, top)
    await makePrivate(dir, head.length)
    copyExclude(commonFolder, dir)
    const memory = this.#memories.get(dir) ?? { tree: undefined, ignoredSeen: '' }
    this.#memories.set(dir, memory)
    const { settings } = await personsSettings(this.#git)
    return new Workplace(
      this.#git,
      repository,
      dir,
      memory,
      settings.get('core.excludesfile') ?? '',
    )
  }
}

/** `HEAD` is written last: git knows the directory by it. */
async function makePrivate(dir: string, idLength: number): Promise<void> {
  if (existsSync(join(dir, 'HEAD'))) return
  for (const name of ['refs', 'objects', 'info'])
    await mkdir(join(dir, name), { recursive: true, mode: 0o700 })
  await writeFile(join(dir, 'config'), configFor(idLength))
  await writeFile(join(dir, 'info', 'attributes'), rawFiles)
  await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n')
}

/** The git processes of ours that use a git directory. Linux only. */
async function processesOf(dir: string): Promise<number[]> {
  const pids = await readdir('/proc').catch(() => [])
  const found = await Promise.all(
    pids
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
        return environment.split('\0').includes(`GIT_DIR=${dir}`) ? [Number(pid)] : []
      }),
  )
  return found.flat()
}
