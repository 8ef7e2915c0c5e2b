/**
 * Takes the state of a workplace's files (FS1, FS2): tracked, untracked and deleted files, not
 * ignored ones. It lists and then stages, because `git add` would enter nested repositories and run
 * their programs. What is left out is named.
 */
import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LeftOutFile } from '../../protocol/worktrees/file-state.ts'
import { displayName, nulEnded, pathOf, splitNul } from '../worktrees/file-names.ts'
import { GitFailure } from '../worktrees/git.ts'
import { ownEntriesOf, theirEntriesIn } from '../worktrees/look.ts'
import { gitlinkMode } from '../worktrees/staged-entries.ts'
import type { Workplace } from './workplace.ts'

export const maxFileBytes = 50 * 1024 * 1024
/**
 * A folder with more new files than this, none of them tracked, is left out: it should be ignored.
 */
const maxNewFilesInFolder = 10_000
/** Without a state: so much that is left out can be neither listed nor protected. */
const maxLeftOut = 1000
/** Attempts to read files that are written at the same time. */
const maxAttempts = 3
const lstatsAtOnce = 256

type LeftOutReason = LeftOutFile['why']

export interface LeftOut {
  /** A folder ends with a slash. */
  readonly name: Buffer
  readonly why: LeftOutReason
}

export interface FileState {
  readonly tree: string
  /** A blob with the names that are left out; null: none. */
  readonly leftOut: string | null
}

export interface CapturedState extends FileState {
  readonly names: readonly LeftOut[]
}

class NoState extends Error {}

/** `extra`: files to include although they are ignored. */
export async function capture(
  place: Workplace,
  extra: readonly Buffer[] = [],
): Promise<CapturedState> {
  await place.recover()
  try {
    return await takeState(place, extra)
  } catch (error) {
    if (!(error instanceof GitFailure) || error.code === 'missing' || error.code === 'timeout')
      throw error
    // An object of the index is gone (`git gc --prune=now`), or the index was damaged: every file
    // is read again.
    await place.recover()
    await place.dropIndex()
    return takeState(place, extra)
  }
}

async function takeState(place: Workplace, extra: readonly Buffer[]): Promise<CapturedState> {
  const list = (args: readonly string[]) => place.bytes(args).then(splitNul)
  const [changed, others, seen] = await Promise.all([
    list(['diff-files', '-z', '--name-only', '--ignore-submodules=all']),
    list(['ls-files', '-z', '--others', '--exclude-standard']),
    ignoreSignature(place),
  ])
  const rulesChanged =
    seen !== place.memory.ignoredSeen ||
    [...changed, ...others].some((name) => name.includes('.gitignore'))
  const { add, drop } = rulesChanged ? await compareIgnored(place, others) : { add: [], drop: [] }
  const crowded = crowdedFolders(place, others)
  const { stage, remove, leftOut } = await sortNames(place, {
    changed,
    others: [...others, ...add, ...extra],
    crowded,
  })
  const gone = [...drop, ...remove]
  if (gone.length > 0) await updateIndex(place, ['--force-remove'], gone)
  leftOut.push(...(stage.length > 0 ? await stageFiles(place, stage) : []))
  if (leftOut.length > maxLeftOut)
    throw new NoState(`More than ${maxLeftOut} files and folders would be left out.`)
  if (place.memory.tree === undefined || gone.length > 0 || stage.length > 0)
    place.memory.tree = (await place.run(['write-tree'])).trim()
  place.memory.ignoredSeen = seen
  const names = leftOut.toSorted((a, b) => Buffer.compare(a.name, b.name))
  return {
    tree: place.memory.tree,
    leftOut: names.length === 0 ? null : await writeNames(place, names),
    names,
  }
}

async function writeNames(place: Workplace, names: readonly LeftOut[]): Promise<string> {
  return (
    await place.run(['hash-object', '-w', '--stdin'], {
      input: nulEnded(names.map(({ name }) => name)),
    })
  ).trim()
}

export async function readNames(place: Workplace, { leftOut }: FileState): Promise<Buffer[]> {
  return leftOut === null ? [] : splitNul(await place.bytes(['cat-file', 'blob', leftOut]))
}

/** Whether a path is one of the names or below one of the folders. */
export function isAmong(names: readonly Buffer[], path: Buffer): boolean {
  return names.some((name) =>
    name.at(-1) === slash ? path.subarray(0, name.length).equals(name) : path.equals(name),
  )
}

const slash = 0x2f
export const updateIndex = (
  place: Workplace,
  args: readonly string[],
  names: readonly Buffer[],
): Promise<string> => {
  place.memory.tree = undefined
  return place.run(['update-index', '-z', ...args, '--stdin'], { input: nulEnded(names) })
}

interface Listed {
  readonly changed: readonly Buffer[]
  readonly others: readonly Buffer[]
  readonly crowded: readonly Buffer[]
}

async function sortNames(place: Workplace, { changed, others, crowded }: Listed) {
  const stage: Buffer[] = []
  const remove: Buffer[] = []
  const leftOut: LeftOut[] = crowded.map((name) => ({ name, why: 'too_many' }))
  const all = [...changed, ...others]
  for (let from = 0; from < all.length; from += lstatsAtOnce)
    await Promise.all(
      all.slice(from, from + lstatsAtOnce).map(async (name, index) => {
        const isFollowed = from + index < changed.length
        if (name.at(-1) === slash) return void leftOut.push({ name, why: 'repository' })
        if (!isFollowed && isAmong(crowded, name)) return
        const found = await lstat(pathOf(place.facts.top, name)).catch(() => undefined)
        const why = !found?.isDirectory() && found ? reasonToLeave(found) : undefined
        if (why) leftOut.push({ name, why })
        if (found && !why && !found.isDirectory()) stage.push(name)
        else if (isFollowed) remove.push(name)
      }),
    )
  return { stage, remove, leftOut }
}

function reasonToLeave(found: {
  isFile(): boolean
  isSymbolicLink(): boolean
  size: number
}): LeftOutReason | undefined {
  if (!found.isFile() && !found.isSymbolicLink()) return 'special'
  return found.size > maxFileBytes ? 'too_large' : undefined
}

/**
 * Stages files. Those that cannot be read, or change all the time, are found by halving the list,
 * and left out.
 */
async function stageFiles(place: Workplace, names: readonly Buffer[]): Promise<LeftOut[]> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    try {
      await updateIndex(place, ['--add', '--remove', '--replace'], names)
      return []
    } catch (error) {
      // A file that is cut while git reads it ends git with SIGBUS, and leaves its lock.
      if (!(error instanceof GitFailure) || error.code === 'missing' || error.code === 'timeout')
        throw error
      await place.recover()
    }
  }
  const [only] = names
  if (names.length === 1 && only) {
    await updateIndex(place, ['--force-remove'], names)
    return [{ name: only, why: 'unreadable' }]
  }
  const half = Math.ceil(names.length / 2)
  return [
    ...(await stageFiles(place, names.slice(0, half))),
    ...(await stageFiles(place, names.slice(half))),
  ]
}

async function ignoreSignature({ facts, dir }: Workplace): Promise<string> {
  const files = [join(facts.gitFolder, 'index'), join(dir, 'info', 'exclude')]
  const found = await Promise.all(
    files.map((file) => stat(file, { bigint: true }).catch(() => undefined)),
  )
  return found.map((each) => (each ? `${each.ino} ${each.size} ${each.mtimeNs}` : '')).join(' ')
}

/**
 * Files that the person tracks although they are ignored are followed; other ignored ones no
 * longer. Theirs are read from their index as data: of those in it that are neither followed nor
 * new, the ignored ones are there as files.
 */
async function compareIgnored(
  place: Workplace,
  others: readonly Buffer[],
): Promise<{ add: Buffer[]; drop: Buffer[] }> {
  const ignored = splitNul(
    await place.bytes(['ls-files', '-z', '--cached', '--ignored', '--exclude-standard']),
  )
  const theirs = trackedNames(place)
  const tracked = new Set(theirs.map(asKnown))
  const found = [
    ...ownEntriesOf(place.repository, place.indexFile).map(({ name }) => name),
    ...others,
  ]
  const followed = new Set(found.map(asKnown))
  return {
    add: theirs.filter((name) => !followed.has(asKnown(name))),
    drop: ignored.filter((name) => !tracked.has(asKnown(name))),
  }
}

const asKnown = (name: Buffer): string => name.toString('latin1')

/** Without repositories inside, and folders that a sparse checkout leaves away. */
function trackedNames({ repository, facts }: Workplace): Buffer[] {
  const entries = theirEntriesIn(repository, join(facts.gitFolder, 'index')) ?? []
  return entries.flatMap(({ name, mode }) =>
    mode === gitlinkMode || name.at(-1) === slash ? [] : [name],
  )
}

/** The topmost folders without a tracked file that hold too many new files. */
function crowdedFolders(place: Workplace, others: readonly Buffer[]): Buffer[] {
  if (others.length <= maxNewFilesInFolder) return []
  const tracked = new Set<string>()
  for (const name of trackedNames(place)) for (const folder of foldersOf(name)) tracked.add(folder)
  const counts = new Map<string, number>()
  for (const name of others) {
    const folder = foldersOf(name).find((each) => !tracked.has(each))
    if (folder !== undefined) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts].flatMap(([folder, count]) =>
    count > maxNewFilesInFolder ? [Buffer.from(folder, 'latin1')] : [],
  )
}

/** `a/b/c`: `a/`, `a/b/`. */
function foldersOf(name: Buffer): string[] {
  const text = name.toString('latin1')
  const folders: string[] = []
  for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1))
    folders.push(text.slice(0, at + 1))
  return folders
}

export const shownNames = (names: readonly LeftOut[]): LeftOutFile[] =>
  names.map(({ name, why }) => ({ path: displayName(name), why }))
