/**
 * Finds the repository of a folder as git does, but as data (SE19): `.git`, `commondir`, `gitdir`,
 * `HEAD` and `config` are read as bounded regular files, so nothing of it is run or waited for.
 */
import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { headOf } from '../../platform/files/git-refs.ts'
import { bytesOf, textOf } from '../../platform/files/plain-file.ts'
import { type Detail, statusNotice } from '../../protocol/status-texts.ts'
import type { Git } from './git.ts'
import { isTrue, personsSettings, type Settings, settingsIn } from './git-settings.ts'

const maxLinkBytes = 64 * 1024
const maxConfigBytes = 1024 * 1024

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

export interface FoundRepository {
  readonly facts: RepositoryFacts
  readonly settings: Settings
}

/** WT4: why a folder cannot have worktrees. */
export interface NoRepository {
  readonly why: Detail
}

export async function findRepository(
  git: Git,
  folder: string,
): Promise<FoundRepository | NoRepository> {
  // Where git is missing, that is the reason.
  const persons = await personsSettings(git)
  const place = checkoutOf(folder)
  if ('why' in place) return place
  const { top, own, common } = place
  const cannot = (why: Detail): NoRepository => ({
    why: statusNotice('gitCannotOpen', { folder, why }),
  })
  if (
    !isOwnedByUs([top, join(top, '.git'), own]) &&
    !persons.trusted.has('*') &&
    !persons.trusted.has(top)
  )
    return { why: statusNotice('othersRepository', { folder }) }
  const settings = await settingsOf(git, own, common).catch((error: Error) => error)
  if (settings instanceof Error) return cannot(settings.message)
  const named = settings.get('core.worktree')
  if (own === common && named === undefined && isTrue(settings.get('core.bare')))
    return { why: statusNotice('bareRepository', { folder }) }
  // `core.worktree` can name any folder of the machine. Only the folder that contains the
  // repository is accepted.
  if (own === common && named !== undefined && realPathOf(resolve(own, named)) !== top)
    return cannot(statusNotice('coreWorktreeElsewhere'))
  if (!isOfFolder(place, named))
    return { why: statusNotice('repositoryElsewhere', { folder: top, place: own }) }
  const head = headOf(own, common)
  if (head?.ref === 'refs/heads/.invalid') return cannot(statusNotice('refsInTable'))
  if (head?.commit === undefined) return { why: statusNotice('noCommit', { folder }) }
  const branch = head.ref?.startsWith(ofBranches) ? head.ref.slice(ofBranches.length) : null
  const prefix = relative(top, place.folder).split(sep).join('/')
  return {
    facts: {
      top,
      gitFolder: own,
      commonFolder: common,
      prefix: prefix && `${prefix}/`,
      head: head.commit,
      branch,
    },
    settings,
  }
}

const ofBranches = 'refs/heads/'

interface Checkout {
  readonly folder: string
  readonly top: string
  readonly own: string
  readonly common: string
}

/** The nearest folder upwards that has a repository, on the same disk. */
function checkoutOf(start: string): Checkout | NoRepository {
  const none = { why: statusNotice('noRepository', { folder: start }) }
  const folder = realPathOf(start)
  if (folder === undefined) return none
  const disk = foundAt(folder)?.dev
  for (let top = folder; foundAt(top)?.dev === disk; top = dirname(top)) {
    const named = gitFolderNamedAt(top)
    const place = named === undefined ? undefined : gitFoldersAt(named)
    if (place) return { folder, top, ...place }
    if (foundAt(join(top, '.git'))?.isFile())
      return {
        why: statusNotice('gitCannotOpen', {
          folder: start,
          why: `.git: ${named ?? 'not a repository'}`,
        }),
      }
    if (gitFoldersAt(top)) return { why: statusNotice('bareRepository', { folder: start }) }
    if (top === dirname(top)) break
  }
  return none
}

/**
 * Undefined when it is none. No link counts for what we write to: an agent may have made it (SB10).
 */
function gitFoldersAt(own: string): Pick<Checkout, 'own' | 'common'> | undefined {
  const named = textOf(join(own, 'commondir'), maxLinkBytes)?.trim()
  const common = named === undefined ? own : realPathOf(resolve(own, named))
  if (common === undefined || headOf(own, common) === undefined) return undefined
  const isWhole = ['objects', 'refs'].every((name) => foundAt(join(common, name))?.isDirectory())
  return isWhole ? { own, common } : undefined
}

/** The git folder of a remote that is a path, bare or of a checkout, looked for as git does. */
export async function findGitFolder(git: Git, path: string) {
  const named = [gitFolderNamedAt(path), realPathOf(path), realPathOf(`${path}.git`)]
  for (const folder of named) {
    const place = folder === undefined ? undefined : gitFoldersAt(folder)
    if (place) return { ...place, settings: await settingsOf(git, place.own, place.common) }
  }
  return undefined
}

/** What `.git` in a folder is or names. */
function gitFolderNamedAt(top: string): string | undefined {
  const file = join(top, '.git')
  const found = foundAt(file)
  if (!found?.isFile()) return found ? realPathOf(file) : undefined
  const [, named] = /^gitdir: (.+?)\n*$/.exec(textOf(file, maxLinkBytes) ?? '') ?? []
  return named === undefined ? undefined : realPathOf(resolve(top, named))
}

/**
 * A checkout has its repository inside; a worktree is named in it, and others in `core.worktree`,
 * as submodules are. Anybody who can write in a folder can put a `.git` there that leads to a
 * repository of others.
 */
function isOfFolder({ top, own, common }: Checkout, named: string | undefined): boolean {
  if (own === common) return own === join(top, '.git') || named !== undefined
  const file = resolve(own, (textOf(join(own, 'gitdir'), maxLinkBytes) ?? '').trim())
  return (
    dirname(own) === join(common, 'worktrees') &&
    basename(file) === '.git' &&
    realPathOf(dirname(file)) === top
  )
}

/** By the bytes of the files: they change seldom. */
const settingsByGit = new WeakMap<Git, Map<string, Promise<Settings>>>()
const maxKnown = 100

async function settingsOf(git: Git, own: string, common: string): Promise<Settings> {
  const settings = await parsed(git, bytesOf(join(common, 'config'), maxConfigBytes))
  if (!isTrue(settings.get('extensions.worktreeconfig'))) return settings
  return new Map([
    ...settings,
    ...(await parsed(git, bytesOf(join(own, 'config.worktree'), maxConfigBytes))),
  ])
}

function parsed(git: Git, file: Buffer | undefined): Promise<Settings> {
  if (!file) return Promise.resolve(new Map())
  const memory = settingsByGit.get(git) ?? new Map<string, Promise<Settings>>()
  settingsByGit.set(git, memory)
  const text = file.toString('latin1')
  const found = memory.get(text) ?? settingsIn(git, file)
  memory.delete(text)
  memory.set(text, found)
  for (const [oldest] of memory) if (memory.size > maxKnown) memory.delete(oldest)
  found.catch(() => memory.delete(text))
  return found
}

/**
 * git refuses the repositories of others, because they can name programs. We do not read what names
 * them, and refuse all the same.
 */
function isOwnedByUs(paths: readonly string[]): boolean {
  const us = process.geteuid?.()
  return us === undefined || paths.every((path) => foundAt(path)?.uid === us)
}

function foundAt(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
