/**
 * Moves a branch that is checked out, with its files (WT6), if everything is committed there: on a
 * copy of that checkout's index, so that nothing of it is read as configuration, and what its flags
 * hide is seen.
 */
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesOf } from '../../platform/files/plain-file.ts'
import { type Detail, detailFields, statusNotice } from '../../protocol/status-texts.ts'
import type { MergeRefusal, MergeResult } from '../../protocol/worktrees/worktree.ts'
import { withLockedIndex } from './checkout-lock.ts'
import { filteredAmong } from './commit.ts'
import { nulEnded, splitNul } from './file-names.ts'
import { GitFailure } from './git.ts'
import {
  indexFactsOf,
  isWork,
  lstatIn,
  maxIndexBytes,
  type NamedFile,
  ownEntriesOf,
  uncommittedIn,
} from './look.ts'
import { operations } from './remove-worktree.ts'
import { listWorktrees, type Repository } from './repository.ts'
import { sparseSettings } from './sparse.ts'
import {
  entriesOf,
  gitlinkMode,
  type IndexEntry,
  isPlainIndex,
  withoutHiding,
} from './staged-entries.ts'

export interface Move {
  readonly target: string
  readonly from: string
  readonly to: string
}

type Refused = Extract<MergeResult, { outcome: 'refused' }>
export type MoveResult = { readonly outcome: 'done'; readonly commit: string } | Refused

const refused = (reason: MergeRefusal, why: Detail): Refused => ({
  outcome: 'refused',
  reason,
  ...detailFields('why', why),
  command: null,
})

/** `isLanding`: a step that may have been begun before; changes beside it stay as they are. */
interface HowToMove {
  readonly isLanding?: boolean
}

export async function tipOf(repository: Repository, branch: string): Promise<string | undefined> {
  const found = await repository.try([
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${branch}^{commit}`,
  ])
  return found.code === 0 ? found.stdout.trim() : undefined
}

const checkoutMs = 600_000

/** Moves a branch if it is still where it was, with the files of the checkout that has it. */
export async function moveBranch(
  repository: Repository,
  wanted: Move,
  how: HowToMove = {},
): Promise<MoveResult> {
  const { target, to } = wanted
  const holder = listWorktrees(repository).find(({ branch }) => branch === target)
  if (holder) return moveCheckout(repository, holder.folder, wanted, how)
  const { code, stderr } = await updateRef(repository, wanted)
  if (code === 0 || (how.isLanding && (await tipOf(repository, target)) === to))
    return { outcome: 'done', commit: to }
  return refused(
    'moved',
    statusNotice('branchMovedBecause', { branch: target, why: stderr.trim() }),
  )
}

const updateRef = (repository: Repository, { target, from, to }: Move) =>
  repository.try(['update-ref', '-m', 'holdfast: bring in', `refs/heads/${target}`, to, from])

interface Concerned {
  /** Files that the move writes, as they are named in an index. */
  readonly names: readonly Buffer[]
  /** Those that are as the move would write them. */
  readonly written: readonly Buffer[]
  /** What is in the way. */
  readonly dirty: readonly NamedFile[]
  readonly filtered: readonly string[]
}

/** Looks at what a move would do to a checkout, and changes nothing. */
async function concernedBy(
  checkout: Repository,
  { from, to }: Move,
  entries: readonly IndexEntry[],
  { isLanding = false }: HowToMove,
): Promise<Concerned> {
  const listed = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to]
  const names = splitNul(await checkout.bytes(listed, large))
  const keys = new Set(names.map(keyOf))
  const written = isLanding ? await writtenAmong(checkout, names, to) : []
  const writtenKeys = new Set(written.map(keyOf))
  // What a person keeps to themselves by a flag stays as it is, unless it would be written over.
  const untouched = new Set(
    entries.flatMap(({ name, isAssumed, isSkipped }) =>
      isAssumed || isSkipped ? [keyOf(name)] : [],
    ),
  )
  const uncommitted = await uncommittedIn(checkout)
  const { staged } = indexFactsOf(checkout)
  const dirty = uncommitted.filter((file) => {
    const key = keyOf(file.name)
    if (!isWork(file) || file.change === 'untracked') return false
    if (isLanding) return staged.has(key) || (keys.has(key) && !writtenKeys.has(key))
    return keys.has(key) || !untouched.has(key)
  })
  return { names, written, dirty, filtered: await filteredAmong(checkout, names) }
}

const keyOf = (name: Buffer): string => name.toString('latin1')

/** Files that are as in a tree already: a move that was cut off has written them. */
async function writtenAmong(
  checkout: Repository,
  names: readonly Buffer[],
  tree: string,
): Promise<Buffer[]> {
  const index = `${checkout.indexFile}.seen`
  const env = { GIT_INDEX_FILE: index }
  try {
    await checkout.run(['read-tree', tree], { env })
    await checkout.try(['update-index', '-q', '--ignore-submodules', '--refresh'], { env })
    // git would look into repositories inside, by their own configuration.
    const compare = ['diff-files', '-z', '--name-only', '--ignore-submodules=all']
    const differing = new Set(splitNul(await checkout.bytes(compare, { env, ...large })).map(keyOf))
    const there = new Map(ownEntriesOf(checkout, index).map((entry) => [keyOf(entry.name), entry]))
    return names.filter((name) => {
      const entry = there.get(keyOf(name))
      if (!entry) return lstatIn(checkout, name) === undefined
      return entry.mode !== gitlinkMode && !differing.has(keyOf(name))
    })
  } finally {
    for (const file of [index, `${index}.lock`]) await rm(file, { force: true })
  }
}

/** Why a checked-out branch cannot be moved by a landing now. */
export async function checkoutBlock(
  repository: Repository,
  folder: string,
  {
    branch: target,
    from,
    to,
  }: { readonly branch: string; readonly from: string; readonly to: string },
): Promise<{ code: 'base_in_use' | 'needs_filter'; about: string } | undefined> {
  const inUse = { code: 'base_in_use', about: folder } as const
  const checkout = await repository.checkoutAt(folder)
  const index = checkout && plainIndexOf(checkout)
  if (!checkout || !index || isUnfinished(checkout)) return inUse
  const wanted = { target, from, to }
  const { dirty, filtered } = await concernedBy(checkout, wanted, index.entries, {
    isLanding: true,
  })
  const [file] = dirty
  if (file) return { ...inUse, about: `${folder}: ${file.path}` }
  return filtered[0] === undefined ? undefined : { code: 'needs_filter', about: filtered[0] }
}

const isUnfinished = ({ facts }: Repository): boolean =>
  operations.some(([name]) => existsSync(join(facts.gitFolder, name)))

function plainIndexOf({ facts }: Repository) {
  const bytes = bytesOf(join(facts.gitFolder, 'index'), maxIndexBytes)
  const idBytes = facts.head.length / 2
  const entries = bytes && isPlainIndex(bytes, idBytes) ? entriesOf(bytes, idBytes) : undefined
  return bytes && entries ? { bytes, entries, idBytes } : undefined
}

async function moveCheckout(
  repository: Repository,
  folder: string,
  wanted: Move,
  how: HowToMove,
): Promise<MoveResult> {
  const { target, from, to } = wanted
  const checkout = await repository.checkoutAt(folder)
  if (!checkout)
    return refused(
      'git_refused',
      statusNotice('gitCannotOpen', { folder, why: statusNotice('notCheckout') }),
    )
  const inUse = (): Refused =>
    refused('target_in_use', statusNotice('branchInUse', { branch: target, folder }))
  const { gitFolder, head } = checkout.facts
  if (isUnfinished(checkout)) return inUse()
  const copy = `${checkout.indexFile}.moved`
  try {
    return await withLockedIndex(gitFolder, async (index) => {
      const found = plainIndexOf(checkout)
      if (!found) return inUse()
      const env = { GIT_INDEX_FILE: copy }
      const options = { env, config: sparseSettings(checkout), timeoutMs: checkoutMs }
      // Times may have changed alone.
      const refresh = () =>
        checkout.try(['update-index', '-q', '--ignore-submodules', '--refresh'], options)
      if (how.isLanding && head === to && (await tipOf(repository, target)) === to) {
        // Cut off before the index was in its place, or after.
        await writeFile(copy, found.bytes)
        await checkout.run(['read-tree', '-m', '-i', from, to], options)
        await refresh()
        await index.replaceBy(copy)
        return { outcome: 'done', commit: to }
      }
      const { names, written, dirty, filtered } = await concernedBy(
        checkout,
        wanted,
        found.entries,
        how,
      )
      if (dirty.length > 0) return inUse()
      if (head !== from || (await tipOf(repository, target)) !== from)
        return refused('moved', statusNotice('branchMoved', { branch: target }))
      const [file, ...more] = filtered
      if (file !== undefined)
        return refused('needs_filter', statusNotice('needsFilter', { file, more: more.length }))
      const concerned = new Set(names.map(keyOf))
      const isConcerned = (name: Buffer): boolean =>
        concerned.has(keyOf(name)) && lstatIn(checkout, name) !== undefined
      await writeFile(copy, withoutHiding(found.bytes, found.idBytes, isConcerned))
      await refresh()
      if (written.length > 0)
        await checkout.run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
          ...options,
          input: nulEnded(written),
        })
      // git refuses to overwrite files that it does not know.
      const moved = await checkout.try(['read-tree', '-m', '-u', from, to], options)
      if (moved.code !== 0) return refused('git_refused', moved.stderr.trim())
      const { code, stderr } = await updateRef(checkout, wanted)
      if (code !== 0) {
        await checkout.run(['read-tree', '-m', '-u', to, from], options)
        return refused(
          'moved',
          statusNotice('branchMovedBecause', { branch: target, why: stderr.trim() }),
        )
      }
      await index.replaceBy(copy)
      return { outcome: 'done', commit: to }
    })
  } catch (error) {
    if (error instanceof GitFailure && error.code === -1)
      return refused('git_refused', error.detail)
    throw error
  } finally {
    for (const file of [copy, `${copy}.lock`]) await rm(file, { force: true })
  }
}

const large = { maxBytes: 64 * 1024 * 1024 }
