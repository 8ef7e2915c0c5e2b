/**
 * A project's folder as a git repository. Every git runs in a directory of ours that links its refs
 * and objects, with an index of ours (SE19): what an agent can write names no program there, and
 * nothing of it is checked before use.
 */

import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { headOf, objectId } from '../../platform/files/git-refs.ts'
import { textOf } from '../../platform/files/plain-file.ts'
import { fieldsOf, parsedJson } from '../../platform/json.ts'
import { statusNotice } from '../../protocol/status-texts.ts'
import {
  findRepository,
  type NoRepository,
  type RepositoryFacts,
  realPathOf,
} from './find-repository.ts'
import { type Git, GitFailure, type GitOptions, type GitPlace, type GitResult } from './git.ts'
import { checkedSettings, personsSettings, type Settings } from './git-settings.ts'
import { privateDirectory } from './private-directory.ts'

const maxLinkBytes = 64 * 1024
const maxRecordBytes = 64 * 1024

export class Repository {
  readonly facts: RepositoryFacts
  /** The configuration of the repository, as data. */
  readonly settings: Settings
  readonly place: GitPlace
  readonly git: Git

  constructor(git: Git, facts: RepositoryFacts, settings: Settings) {
    this.git = git
    this.facts = facts
    this.settings = settings
    const { top, commonFolder, head } = facts
    const dir = privateDirectory(git.folderFor(commonFolder, top), commonFolder, head.length)
    this.place = { dir, project: commonFolder, workTree: top }
  }

  get indexFile(): string {
    return join(this.place.dir, 'index')
  }

  async run(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.bytes(args, options)).toString()
  }

  async try(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    return this.git.try(this.place, args, await this.#with(options))
  }

  async bytes(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
    return this.git.bytes(this.place, args, await this.#with(options))
  }

  /** Opens another checkout of the repository. Undefined unless the folder is the top of one. */
  async checkoutAt(folder: string): Promise<Repository | undefined> {
    const found = await openRepository(this.git, folder)
    const isOurs =
      found instanceof Repository && found.facts.commonFolder === this.facts.commonFolder
    return isOurs && found.facts.top === folder ? found : undefined
  }

  /** Serializes changes of the list of worktrees. */
  serialize<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.git.serialize(this.facts.commonFolder, work)
  }

  async #with(options: GitOptions): Promise<GitOptions> {
    const checked = checkedSettings(this.settings, await personsSettings(this.git))
    // Where there is no log of refs, none is begun.
    const logs = existsSync(join(this.facts.commonFolder, 'logs'))
    return {
      ...options,
      config: { ...checked, 'core.logAllRefUpdates': String(logs), ...options.config },
    }
  }
}

export async function openRepository(git: Git, folder: string): Promise<Repository | NoRepository> {
  try {
    git.requireSame(folder)
    const found = await findRepository(git, folder)
    return 'why' in found ? found : new Repository(git, found.facts, found.settings)
  } catch (error) {
    if (error instanceof GitFailure && error.code === 'missing') return { why: error.detail }
    throw error
  }
}

/** A worktree of a repository, or the person's own checkout. */
export interface ListedWorktree {
  readonly folder: string
  readonly gitFolder: string
  readonly head: string | null
  /** Without `refs/heads/`; null when detached. */
  readonly branch: string | null
  readonly isLocked: boolean
}

/** Read from the files by which git knows them. */
export function listWorktrees({ facts, settings }: Repository): ListedWorktree[] {
  const { commonFolder: common } = facts
  const named = settings.get('core.worktree')
  const elsewhere = named === undefined ? dirname(common) : resolve(common, named)
  const main = facts.gitFolder === common ? facts.top : elsewhere
  const isBare = settings.get('core.bare')?.toLowerCase() === 'true' && named === undefined
  const names = namesOf(join(common, 'worktrees'))
  return [
    ...(isBare ? [] : [listed(main, common, common)]),
    ...names.flatMap((name) => {
      const own = join(common, 'worktrees', name)
      const file = textOf(join(own, 'gitdir'), maxLinkBytes)?.trim()
      return file ? [listed(dirname(resolve(own, file)), own, common)] : []
    }),
  ]
}

function listed(folder: string, own: string, common: string): ListedWorktree {
  const head = headOf(own, common)
  const branch = head?.ref?.startsWith('refs/heads/') ? head.ref.slice('refs/heads/'.length) : null
  const isLocked = textOf(join(own, 'locked'), maxLinkBytes) !== undefined
  return {
    folder: realPathOf(folder) ?? folder,
    gitFolder: own,
    head: head?.commit ?? null,
    branch,
    isLocked,
  }
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * The record that makes a worktree ours (WT3), a file in its git folder. One without it is never
 * removed.
 */
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
  writeFileAtomic(recordFile(gitFolder), `${JSON.stringify(record, null, 2)}\n`)

export function readWorktreeRecord(gitFolder: string): WorktreeRecord | undefined {
  const found: unknown = parsedJson(textOf(recordFile(gitFolder), maxRecordBytes) ?? '')
  const { userSessionShort, role, branch, base, baseBranch } = fieldsOf(found)
  const isWhole = [userSessionShort, role, branch, base].every(
    (value) => typeof value === 'string' && value !== '',
  )
  // An agent can write it: what becomes an argument of git is an id.
  const isSound =
    isWhole &&
    objectId.test(String(base)) &&
    (baseBranch === null || typeof baseBranch === 'string')
  return isSound ? (found as WorktreeRecord) : undefined
}

/** Opens a worktree that Holdfast made, identified by its record. Others are refused. */
export interface OurWorktree {
  readonly repository: Repository
  readonly top: string
  readonly gitFolder: string
  readonly record: WorktreeRecord
  /**
   * The merge base with the base branch, or the base commit when that branch is gone. Computed
   * once, on first use.
   */
  forkPoint(): Promise<string>
}

export async function openWorktree(git: Git, top: string): Promise<OurWorktree> {
  const repository = await openRepository(git, top)
  if (!(repository instanceof Repository)) throw new GitFailure(-1, repository.why)
  if (repository.facts.top !== top)
    throw new GitFailure(-1, statusNotice('notWorktreeTop', { folder: top }))
  const { gitFolder, commonFolder } = repository.facts
  const record = gitFolder === commonFolder ? undefined : readWorktreeRecord(gitFolder)
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

export async function forkPointOf(
  repository: Repository,
  { base, baseBranch }: WorktreeRecord,
): Promise<string> {
  if (baseBranch === null) return base
  const found = await repository.try([
    'merge-base',
    repository.facts.head,
    `refs/heads/${baseBranch}`,
  ])
  return found.code === 0 ? found.stdout.trim() : base
}
