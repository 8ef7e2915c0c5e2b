/**
 * Looks at what is not committed in a checkout, with an index of ours that has the files of HEAD
 * (SE19). The checkout's own index is read as data: what is staged in it is told, and no flag in it
 * hides a change. Repositories inside of it are named as what they are; nothing in them is read.
 */
import { constants, lstatSync, readdirSync, rmSync, type Stats, statSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { bytesOf, textOf } from '../../platform/files/plain-file.ts'
import type { ChangedFile } from '../../protocol/worktrees/worktree.ts'
import { displayName, nulEnded, pathOf, splitNul } from './file-names.ts'
import type { Repository } from './repository.ts'
import {
  compareIndexes,
  entriesOf,
  gitlinkMode,
  type IndexEntry,
  type IndexFacts,
  noFacts,
  theirEntriesOf,
} from './staged-entries.ts'

export const maxIndexBytes = 512 * 1024 * 1024
const maxIdBytes = 100
/** Time limit for reading all files of a large checkout. */
const wholeTreeMs = 600_000
const maxListBytes = 64 * 1024 * 1024
const slash = 0x2f

export interface NamedFile extends ChangedFile {
  readonly name: Buffer
  readonly from?: Buffer
}

export const withoutName = ({ path, change }: NamedFile): ChangedFile => ({ path, change })

export const named = (name: Buffer, change: ChangedFile['change']): NamedFile => ({
  name,
  path: displayName(name),
  change,
})

/** Work that can be committed; a repository inside of another cannot. */
export const isWork = ({ change }: NamedFile): boolean => change !== 'repository'

/**
 * What would be lost with the folder: changed, staged, untracked files, and repositories inside of
 * it. Not ignored files.
 */
export function uncommittedIn(repository: Repository): Promise<NamedFile[]> {
  return repository.git.serialize(`look ${repository.place.dir}`, () => look(repository))
}

async function look(repository: Repository): Promise<NamedFile[]> {
  await bringToHead(repository)
  const args = [
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=all',
    '--ignore-submodules=all',
    '--no-renames',
  ]
  // The index is ours alone, so what was read is noted in it.
  const env = { GIT_OPTIONAL_LOCKS: '1' }
  const lines = splitNul(
    await repository.bytes(args, { env, timeoutMs: wholeTreeMs, maxBytes: maxListBytes }),
  )
  const facts = indexFactsOf(repository)
  const files = new Map<string, NamedFile>()
  const add = (file: NamedFile): void => void files.set(file.name.toString('latin1'), file)
  for (const line of lines) {
    const name = line.subarray(3)
    if (name.at(-1) === slash) add(named(name.subarray(0, -1), 'repository'))
    else if (line.toString('latin1', 0, 2) === '??') add(named(name, 'untracked'))
    else if (line.toString('latin1', 1, 2) !== 'D') add(named(name, 'modified'))
    else if (!isLeftAway(facts, name)) add(named(name, 'deleted'))
  }
  for (const [nameKey, change] of facts.staged) {
    const name = Buffer.from(nameKey, 'latin1')
    const found = files.get(nameKey)?.change
    if (change === 'conflicted' || found === 'untracked') add(named(name, change))
    else if (found === undefined)
      add(named(name, change === 'added' && !lstatIn(repository, name) ? 'deleted' : change))
  }
  for (const nameKey of facts.gitlinks) {
    const change = files.has(nameKey) ? undefined : changeOfGitlink(repository, nameKey, facts)
    if (change) add(named(Buffer.from(nameKey, 'latin1'), change))
  }
  return [...files.values()].sort((a, b) => order(a) - order(b) || Buffer.compare(a.name, b.name))
}

/** As git lists them: untracked files last. */
const order = ({ change }: NamedFile): number =>
  Number(change === 'untracked' || change === 'repository')

function changeOfGitlink(
  repository: Repository,
  nameKey: string,
  facts: IndexFacts,
): NamedFile['change'] | undefined {
  const name = Buffer.from(nameKey, 'latin1')
  const found = lstatIn(repository, name)
  if (!found) return isLeftAway(facts, name) ? undefined : 'deleted'
  return found.isDirectory() && isEmpty(repository, name) ? undefined : 'repository'
}

function isEmpty(repository: Repository, name: Buffer): boolean {
  try {
    return readdirSync(pathOf(repository.facts.top, name)).length === 0
  } catch {
    return false
  }
}

export function lstatIn({ facts }: Repository, name: Buffer): Stats | undefined {
  try {
    return lstatSync(pathOf(facts.top, name), { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Whether a sparse checkout leaves a file away, by itself or with its folder. */
export function isLeftAway({ skipped }: Pick<IndexFacts, 'skipped'>, name: Buffer): boolean {
  const nameKey = name.toString('latin1')
  if (skipped.has(nameKey)) return true
  if (skipped.size === 0) return false
  for (let at = nameKey.indexOf('/'); at >= 0; at = nameKey.indexOf('/', at + 1))
    if (skipped.has(nameKey.slice(0, at + 1))) return true
  return false
}

/** Gives our index the files of HEAD. What it knows of files that stay the same it keeps. */
async function bringToHead(repository: Repository): Promise<void> {
  const { place, facts, indexFile } = repository
  // Left by a git that was ended.
  rmSync(`${indexFile}.lock`, { force: true })
  const file = join(place.dir, 'HEAD')
  if (textOf(file, maxIdBytes)?.trim() === facts.head && statOf(indexFile) !== undefined) return
  const hasIndex = statOf(indexFile) !== undefined
  if (!hasIndex || (await repository.try(['read-tree', '-m', facts.head])).code !== 0) {
    // None, or a damaged one.
    await rm(indexFile, { force: true })
    await repository.run(['read-tree', facts.head])
  }
  const gitlinks = ownEntriesOf(repository, indexFile).filter(
    ({ mode, isSkipped }) => mode === gitlinkMode && !isSkipped,
  )
  // git would look for the HEAD of each.
  if (gitlinks.length > 0)
    await repository.run(['update-index', '-z', '--skip-worktree', '--stdin'], {
      input: nulEnded(gitlinks.map(({ name }) => name)),
    })
  await writeFileAtomic(file, `${facts.head}\n`)
}

/** The entries of a checkout's index. Undefined: in a form that is not known here. */
export const theirEntriesIn = (
  { facts }: Repository,
  file: string,
): readonly IndexEntry[] | undefined =>
  theirEntriesOf(bytesOf(file, maxIndexBytes) ?? Buffer.of(), facts.head.length / 2)

/** The entries of an index of ours. */
export const ownEntriesOf = ({ facts }: Repository, file: string): readonly IndexEntry[] =>
  entriesOf(bytesOf(file, maxIndexBytes) ?? Buffer.of(), facts.head.length / 2) ?? []

/** What two index files have told, while neither has changed. */
const factsByIndex = new Map<string, { readonly seen: string; readonly facts: IndexFacts }>()
const maxKnown = 50

/**
 * What the checkout's index says beside ours. One in a form that is not known here says nothing:
 * the files count all the same.
 */
export function indexFactsOf(repository: Repository): IndexFacts {
  const { gitFolder, head } = repository.facts
  const { indexFile } = repository
  const theirs = join(gitFolder, 'index')
  const seen = `${statOf(theirs)} ${statOf(indexFile)} ${head}`
  const found = factsByIndex.get(indexFile)
  const facts = found?.seen === seen ? found.facts : readFacts(repository, theirs)
  factsByIndex.delete(indexFile)
  factsByIndex.set(indexFile, { seen, facts })
  for (const [oldest] of factsByIndex) if (factsByIndex.size > maxKnown) factsByIndex.delete(oldest)
  return facts
}

function readFacts(repository: Repository, file: string): IndexFacts {
  const ours = ownEntriesOf(repository, repository.indexFile)
  const theirs = theirEntriesIn(repository, file)
  const { staged, skipped, gitlinks } = theirs ? compareIndexes(theirs, ours) : noFacts
  const links = ours
    .filter(({ mode }) => mode === gitlinkMode)
    .map(({ name }) => name.toString('latin1'))
  return { staged, skipped, gitlinks: new Set([...gitlinks, ...links]) }
}

/** Tells when a file was changed in any way: the time of its last change cannot be set. */
function statOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
}

/** A copy keeps the time, by which git knows what was written in the same moment. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const { atime, mtime } = statSync(from)
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await utimes(to, atime, mtime)
}

/** Puts an index of ours in the place of a checkout's. What lies in the way is not written to. */
export async function placeIndex(from: string, to: string): Promise<void> {
  const next = `${to}.holdfast`
  const { atime, mtime } = statSync(from)
  await rm(next, { force: true })
  await copyFile(from, next, constants.COPYFILE_EXCL)
  await utimes(next, atime, mtime)
  await rename(next, to)
}

/**
 * Runs git with an index that has these files too, without what a sparse checkout leaves away, and
 * objects that are thrown away.
 */
export async function withNewFiles<Result>(
  repository: Repository,
  names: readonly Buffer[],
  work: (env: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  const facts = indexFactsOf(repository)
  if (names.length === 0 && facts.skipped.size === 0) return work({})
  const folder = await mkdtemp(join(repository.place.dir, 'diff-'))
  try {
    const env = {
      GIT_INDEX_FILE: join(folder, 'index'),
      GIT_OBJECT_DIRECTORY: join(folder, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.facts.commonFolder, 'objects'),
    }
    await mkdir(env.GIT_OBJECT_DIRECTORY)
    await copyIndex(repository.indexFile, env.GIT_INDEX_FILE)
    await leaveAway(repository, env.GIT_INDEX_FILE, facts)
    const args = [
      'add',
      '--intent-to-add',
      '--force',
      '--pathspec-from-file=-',
      '--pathspec-file-nul',
    ]
    if (names.length > 0)
      await repository.run(args, {
        env: { ...env, GIT_LITERAL_PATHSPECS: '1' },
        input: nulEnded(names),
      })
    return await work(env)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Marks in an index of ours what a sparse checkout leaves away. */
export async function leaveAway(
  repository: Repository,
  file: string,
  facts: IndexFacts,
): Promise<void> {
  if (facts.skipped.size === 0) return
  const names = ownEntriesOf(repository, file).map(({ name }) => name)
  const away = names.filter((name) => isLeftAway(facts, name) && !lstatIn(repository, name))
  const args = ['update-index', '-z', '--skip-worktree', '--stdin']
  if (away.length > 0)
    await repository.run(args, { env: { GIT_INDEX_FILE: file }, input: nulEnded(away) })
}
