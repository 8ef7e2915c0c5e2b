/**
 * A project's folder as a git repository. Filters and merge drivers named in the repository's own configuration are disabled,
 * because a folder from elsewhere brings its configuration along (SE4). This is checked in each folder git runs in, because a
 * branch, folder or worktree can have its own configuration.
 */
import { readFile, realpath } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { statusText } from '../../protocol/sentences.ts'
import { type Git, GitFailure, type GitOptions, type GitResult } from './git.ts'

/** Limit of configured drivers. */
const maxDrivers = 200

export interface RepositoryFacts {
  /** Real path of the checkout's top. */
  readonly top: string
  /** The git folder of this checkout. */
  readonly gitFolder: string
  /** The git folder shared by all checkouts. */
  readonly commonFolder: string
  /** Path from the top to the opened folder; empty at the top. */
  readonly prefix: string
  /** The checked-out commit. */
  readonly head: string
  /** The checked-out branch; null when detached. */
  readonly branch: string | null
}

export class Repository {
  readonly facts: RepositoryFacts
  readonly #git: Git
  /** Disabled drivers by folder. */
  readonly #off = new Map<string, Promise<Readonly<Record<string, string>>>>()

  constructor(git: Git, facts: RepositoryFacts) {
    this.#git = git
    this.facts = facts
  }

  async run(args: readonly string[], options: InFolder = {}): Promise<string> {
    return this.#git.run(options.folder ?? this.facts.top, args, await this.#with(options))
  }

  async try(args: readonly string[], options: InFolder = {}): Promise<GitResult> {
    return this.#git.try(options.folder ?? this.facts.top, args, await this.#with(options))
  }

  async bytes(args: readonly string[], options: InFolder = {}): Promise<Buffer> {
    return this.#git.bytes(options.folder ?? this.facts.top, args, await this.#with(options))
  }

  /** Opens another checkout or a submodule. Undefined unless the folder is the top of one. */
  async checkoutAt(folder: string): Promise<Repository | undefined> {
    const found = await openRepository(this.#git, folder)
    return found instanceof Repository && found.facts.top === folder ? found : undefined
  }

  /** Serializes access to git's worktree list. */
  serialize<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#git.serialize(this.facts.commonFolder, work)
  }

  /** Includes drivers configured at the top: git reads them when it removes a worktree from elsewhere. */
  async #with({ folder, ...options }: InFolder): Promise<GitOptions> {
    const { top } = this.facts
    const off = { ...(await this.#offIn(top)), ...(folder !== undefined && (await this.#offIn(folder))) }
    return { ...options, config: { ...off, ...options.config } }
  }

  #offIn(folder: string): Promise<Readonly<Record<string, string>>> {
    const off = this.#off.get(folder) ?? disabledDrivers(this.#git, folder)
    this.#off.set(folder, off)
    return off
  }
}

interface InFolder extends GitOptions {
  /** Defaults to the top of the checkout. */
  readonly folder?: string
}

/** WT4: why a folder cannot have worktrees. */
export interface NoRepository {
  readonly why: string
}

const commit = 'HEAD^{commit}'
/** One call for all values, because starting git is the main cost. */
const revParseOptions = [
  '--is-bare-repository',
  '--absolute-git-dir',
  '--git-common-dir',
  '--show-toplevel',
  '--show-prefix',
  commit,
]
const ofBranches = 'refs/heads/'

export async function openRepository(git: Git, folder: string): Promise<Repository | NoRepository> {
  try {
    const found = await git.try(folder, ['rev-parse', ...revParseOptions, '--symbolic-full-name', 'HEAD'])
    const [isBare, own = '', common = '', top = '', prefix = '', head = '', branch = ''] = found.stdout.split('\n')
    if (found.code !== 0 && !found.stderr.includes(commit)) return { why: refusalReason(folder, found.stderr) }
    if (isBare === 'true') return { why: statusText('bareRepository', { folder }) }
    if (!/^[0-9a-f]{40,64}$/.test(head)) return { why: statusText('noCommit', { folder }) }
    const facts: RepositoryFacts = {
      top: await realpath(top),
      gitFolder: await realpath(own),
      commonFolder: await realpath(isAbsolute(common) ? common : join(folder, common)),
      prefix,
      head,
      branch: branch.startsWith(ofBranches) ? branch.slice(ofBranches.length) : null,
    }
    // `core.worktree` can name any folder of the machine. Only the folder that contains the repository is accepted.
    if ((await gitFolderNamedAt(facts.top)) !== facts.gitFolder)
      return { why: statusText('gitCannotOpen', { folder, why: elsewhere }) }
    return new Repository(git, facts)
  } catch (error) {
    if (error instanceof GitFailure && error.code === 'missing') return { why: error.message }
    throw error
  }
}

const elsewhere = 'its core.worktree leads elsewhere'

/** Reads `.git` at the top of a checkout: the folder itself, or a file that names it. */
export async function gitFolderNamedAt(top: string): Promise<string | undefined> {
  const file = join(top, '.git')
  const [, named] = /^gitdir: (.+?)\n*$/.exec(await readFile(file, 'utf8').catch(() => `gitdir: ${file}`)) ?? []
  return named && realpath(resolve(top, named)).catch(() => undefined)
}

function refusalReason(folder: string, stderr: string): string {
  if (/dubious ownership/.test(stderr)) return statusText('othersRepository', { folder })
  if (/not a git repository|must be run in a work tree/.test(stderr)) return statusText('noRepository', { folder })
  return statusText('gitCannotOpen', { folder, why: stderr.trim().slice(0, 500) })
}

const runsAProgram = /^(filter\..+\.(?:clean|smudge|process)|merge\..+\.driver)$/i

/** Disables only drivers of the repository itself, not those a person configured for the machine. */
async function disabledDrivers(git: Git, folder: string): Promise<Record<string, string>> {
  const listed = await git.try(folder, ['config', '--show-scope', '--null', '--name-only', '--get-regexp', '^(filter|merge)\\.'])
  const words = listed.stdout.split('\0')
  const off: Record<string, string> = {}
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope, key = ''] = [words[at], words[at + 1]]
    if ((scope !== 'local' && scope !== 'worktree') || !runsAProgram.test(key)) continue
    // An empty filter does nothing. A failing merge driver leaves a conflict, which is reported.
    const isFilter = key.toLowerCase().startsWith('filter.')
    off[key] = isFilter ? '' : 'false'
    if (isFilter) off[`${key.slice(0, key.lastIndexOf('.'))}.required`] = 'false'
  }
  if (listed.cut || Object.keys(off).length > maxDrivers)
    throw new GitFailure(-1, `The git configuration in ${folder} names too many programs.`)
  return off
}
