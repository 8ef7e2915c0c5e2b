/**
 * A project's folder as a git repository. Filters and merge drivers named in the repository's own configuration are disabled,
 * because a folder from elsewhere brings its configuration along (SE4). This is checked in each folder git runs in, because a
 * branch, folder or worktree can have its own configuration.
 */

import { hash } from 'node:crypto'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fieldsOf, parsedJson } from '../../platform/json.ts'
import { type Detail, statusNotice } from '../../protocol/status-texts.ts'
import { type Git, GitFailure, type GitOptions, type GitResult } from './git.ts'

const maxDrivers = 200

export interface RepositoryFacts {
  readonly top: string
  /** The git folder of this checkout. */
  readonly gitFolder: string
  /** The git folder shared by all checkouts. */
  readonly commonFolder: string
  /** Path from the top to the opened folder; empty at the top. */
  readonly prefix: string
  readonly head: string
  readonly branch: string | null
}

export class Repository {
  readonly facts: RepositoryFacts
  readonly #git: Git
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
  readonly why: Detail
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
    if (isBare === 'true') return { why: statusNotice('bareRepository', { folder }) }
    if (!/^[0-9a-f]{40,64}$/.test(head)) return { why: statusNotice('noCommit', { folder }) }
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
      return { why: statusNotice('gitCannotOpen', { folder, why: statusNotice('coreWorktreeElsewhere') }) }
    if (!(await isOfFolder(git, facts)))
      return { why: statusNotice('repositoryElsewhere', { folder: facts.top, place: facts.gitFolder }) }
    return new Repository(git, facts)
  } catch (error) {
    if (error instanceof GitFailure && error.code === 'missing') return { why: error.detail }
    throw error
  }
}

/**
 * A checkout has its repository inside; a worktree is named in it, and others in `core.worktree`, as submodules are. Anybody who can
 * write in a folder can put a `.git` there that leads to a repository of others.
 */
async function isOfFolder(git: Git, { top, gitFolder: own, commonFolder: common }: RepositoryFacts): Promise<boolean> {
  const file = join(top, '.git')
  if (own === common && own === file) return true
  if (own !== common) {
    const named = resolve(own, (await readFile(join(own, 'gitdir'), 'utf8').catch(() => '')).trim())
    return (
      dirname(own) === join(common, 'worktrees') &&
      basename(named) === '.git' &&
      (await realpath(dirname(named)).catch(() => '')) === top
    )
  }
  const { stdout } = await git.try(top, ['config', '--local', '--get', 'core.worktree'])
  return stdout !== '' && (await realpath(resolve(own, stdout.trim())).catch(() => '')) === top
}

export async function gitFolderNamedAt(top: string): Promise<string | undefined> {
  const file = join(top, '.git')
  const [, named] = /^gitdir: (.+?)\n*$/.exec(await readFile(file, 'utf8').catch(() => `gitdir: ${file}`)) ?? []
  return named && realpath(resolve(top, named)).catch(() => undefined)
}

function refusalReason(folder: string, stderr: string): Detail {
  if (/dubious ownership/.test(stderr)) return statusNotice('othersRepository', { folder })
  if (/not a git repository|must be run in a work tree/.test(stderr)) return statusNotice('noRepository', { folder })
  return statusNotice('gitCannotOpen', { folder, why: stderr.trim().slice(0, 500) })
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
  if (listed.cut || Object.keys(off).length > maxDrivers) throw new GitFailure(-1, statusNotice('gitTooManyPrograms', { folder }))
  return off
}

/** Branch names for roles. Roles are text in any language, and branch names are restricted. Pure. */
const maxWord = 48

/** WT1: the short id keeps branches apart. A role that had to be changed gets a hash, so that no two share a branch. */
export const branchOf = (userSessionShort: string, role: string): string => `holdfast/${userSessionShort}/${wordOf(role)}`

export const isOurBranch = (branch: string): boolean => /^holdfast\/[0-9a-z]+\/[^/]+$/.test(branch)

function wordOf(role: string): string {
  const word = [...role.normalize('NFC')]
    .slice(0, maxWord)
    .join('')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .replace(/\.lock$/i, '-lock')
  if (word === role && word === word.toLowerCase()) return word
  const suffix = hash('sha256', role).slice(0, 6)
  return word === '' ? suffix : `${word}-${suffix}`
}

/** Lists the worktrees of a repository, including the person's own checkouts. */
export interface ListedWorktree {
  readonly folder: string
  readonly head: string | null
  /** Without `refs/heads/`; null when detached. */
  readonly branch: string | null
  readonly locked: string | null
}

export async function listWorktrees(repository: Repository): Promise<ListedWorktree[]> {
  const text = await porcelainList(repository)
  return text
    .split('\0\0')
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const fields = new Map(block.split('\0').map((line) => [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)] as const))
      return {
        folder: fields.get('worktree') ?? '',
        head: fields.get('HEAD') ?? null,
        branch: fields.get('branch')?.replace(/^refs\/heads\//, '') ?? null,
        locked: fields.get('locked') ?? null,
      }
    })
}

/** git fails to list worktrees while another process adds one, so it is retried. */
const maxTries = 5
const retryMs = 50

async function porcelainList(repository: Repository): Promise<string> {
  for (let tried = 1; ; tried++) {
    try {
      return await repository.run(['worktree', 'list', '--porcelain', '-z'])
    } catch (error) {
      if (!(error instanceof GitFailure) || !/commondir|gitdir/.test(error.message) || tried === maxTries) throw error
      await pause(retryMs)
    }
  }
}

/** The record that makes a worktree ours (WT3), a file in its git folder. One without it is never removed. */
export interface WorktreeRecord {
  readonly userSessionShort: string
  readonly role: string
  readonly branch: string
  /** Base commit, and the branch that was checked out then. */
  readonly base: string
  readonly baseBranch: string | null
}

const recordFile = (gitFolder: string): string => join(gitFolder, 'holdfast.json')

/** Written when the checkout is complete. */
export const writeWorktreeRecord = (gitFolder: string, record: WorktreeRecord): Promise<void> =>
  writeFile(recordFile(gitFolder), `${JSON.stringify(record, null, 2)}\n`)

export async function readWorktreeRecord(gitFolder: string): Promise<WorktreeRecord | undefined> {
  const found: unknown = await readFile(recordFile(gitFolder), 'utf8').then(parsedJson, () => undefined)
  const { userSessionShort, role, branch, base, baseBranch } = fieldsOf(found)
  const isWhole = [userSessionShort, role, branch, base].every((value) => typeof value === 'string' && value !== '')
  return isWhole && (baseBranch === null || typeof baseBranch === 'string') ? (found as WorktreeRecord) : undefined
}

/** Opens a worktree that Holdfast made, identified by its record. Others are refused. */
export interface OurWorktree {
  readonly repository: Repository
  readonly top: string
  readonly gitFolder: string
  readonly record: WorktreeRecord
  /** The merge base with the base branch, or the base commit when that branch is gone. Computed once, on first use. */
  forkPoint(): Promise<string>
}

export async function openWorktree(git: Git, top: string): Promise<OurWorktree> {
  const repository = await openRepository(git, top)
  if (!(repository instanceof Repository)) throw new GitFailure(-1, repository.why)
  if (repository.facts.top !== top) throw new GitFailure(-1, statusNotice('notWorktreeTop', { folder: top }))
  const { gitFolder, commonFolder } = repository.facts
  const record = gitFolder === commonFolder ? undefined : await readWorktreeRecord(gitFolder)
  if (!record) throw new GitFailure(-1, statusNotice('notOurWorktree', { folder: top }))
  let forkPoint: Promise<string> | undefined
  return {
    repository,
    top,
    gitFolder,
    record,
    forkPoint() {
      forkPoint ??= forkPointOf(repository, record)
      return forkPoint
    },
  }
}

async function forkPointOf(repository: Repository, { base, baseBranch }: WorktreeRecord): Promise<string> {
  if (baseBranch === null) return base
  const found = await repository.try(['merge-base', 'HEAD', `refs/heads/${baseBranch}`])
  return found.code === 0 ? found.stdout.trim() : base
}
