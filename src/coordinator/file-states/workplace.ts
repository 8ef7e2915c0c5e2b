/**
 * A private git directory for a git workplace (FS1). It has its own index and configuration and shares only the repository's
 * object store, so git runs no program that the repository names and touches neither the person's index nor their files.
 */
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git, GitOptions, GitResult } from '../worktrees/git.ts'
import { openRepository, Repository, type RepositoryFacts } from '../worktrees/repository.ts'

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
  readonly #excludesFile: string

  constructor(git: Git, repository: Repository, dir: string, memory: IndexMemory, excludesFile: string) {
    this.#git = git
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
    return this.#git.bytes(this.facts.top, args, this.#private(options))
  }

  try(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    return this.#git.try(this.facts.top, args, this.#private(options))
  }

  /** Runs git on the repository's refs. Its hooks stay off. */
  refs(args: readonly string[], input = ''): Promise<string> {
    return this.#git.run(this.facts.commonFolder, args, { input, env: { GIT_DIR: this.facts.commonFolder } })
  }

  /** Removes what an interrupted git left behind, after ending it if it still runs. */
  async recover(): Promise<void> {
    if (!existsSync(`${this.indexFile}.lock`)) return
    for (const pid of await processesOf(this.dir)) process.kill(pid, 'SIGKILL')
    await rm(`${this.indexFile}.lock`, { force: true })
  }

  /** Waits for the lock of a ref of ours, or of all packed refs, and removes one that a killed git left behind. */
  async clearLock(ref: string): Promise<void> {
    const lock = join(this.facts.commonFolder, `${ref}.lock`)
    const found = await stat(lock).catch(() => undefined)
    // The lock of all may be the person's own, who packs many refs.
    if (!found || (ref === packedRefs && this.#git.now() - found.mtimeMs < packedLockMs)) return
    await new Promise((resolve) => setTimeout(resolve, lockMs))
    const now = await stat(lock).catch(() => undefined)
    if (now?.ino === found.ino && (await processesOf(this.facts.commonFolder)).length === 0) await rm(lock, { force: true })
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
      config: { ...config, ...(this.#excludesFile !== '' && { 'core.excludesFile': this.#excludesFile }) },
      env: {
        GIT_DIR: this.dir,
        GIT_WORK_TREE: this.facts.top,
        GIT_OBJECT_DIRECTORY: join(this.facts.commonFolder, 'objects'),
        GIT_INDEX_FILE: this.indexFile,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        ...env,
      },
    }
  }
}

/** Opens the workplaces of this machine; each has one private directory below `folder`. */
export class Workplaces {
  readonly #git: Git
  readonly #folder: string
  readonly #memories = new Map<string, IndexMemory>()
  #excludesFile: Promise<string> | undefined

  constructor(git: Git, folder: string) {
    this.#git = git
    this.#folder = folder
  }

  /** Undefined when the folder is in no repository with a commit. */
  async open(folder: string): Promise<Workplace | undefined> {
    const repository = await openRepository(this.#git, folder)
    if (!(repository instanceof Repository)) return undefined
    const { top, commonFolder, head } = repository.facts
    const dir = join(this.#folder, placeName(commonFolder, top))
    await makePrivate(dir, head.length)
    await copyExclude(join(commonFolder, 'info', 'exclude'), join(dir, 'info', 'exclude'))
    this.#excludesFile ??= this.#personsExcludes(dir)
    const memory = this.#memories.get(dir) ?? { tree: undefined, ignoredSeen: '' }
    this.#memories.set(dir, memory)
    return new Workplace(this.#git, repository, dir, memory, await this.#excludesFile)
  }

  /** Empty: git's standard one. */
  async #personsExcludes(dir: string): Promise<string> {
    const args = ['config', '--global', '--type=path', '--get', 'core.excludesFile']
    return (await this.#git.try(dir, args)).stdout.trim()
  }
}

export const placeName = (commonFolder: string, top: string): string => hash('sha256', `${commonFolder}\0${top}`).slice(0, 32)

/** `HEAD` is written last: git knows the directory by it. */
async function makePrivate(dir: string, idLength: number): Promise<void> {
  if (existsSync(join(dir, 'HEAD'))) return
  for (const name of ['refs', 'objects', 'info']) await mkdir(join(dir, name), { recursive: true, mode: 0o700 })
  const format =
    idLength === 64 ? '\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n' : '\trepositoryformatversion = 0\n'
  await writeFile(join(dir, 'config'), `[core]\n\tbare = false\n${format}`)
  await writeFile(join(dir, 'info', 'attributes'), rawFiles)
  await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n')
}

async function copyExclude(from: string, to: string): Promise<void> {
  const [theirs, ours] = await Promise.all([from, to].map((file) => stat(file).catch(() => undefined)))
  if (!theirs) await rm(to, { force: true })
  else if (theirs.isFile() && !(ours && ours.size === theirs.size && ours.mtimeMs > theirs.mtimeMs)) await copyFile(from, to)
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
