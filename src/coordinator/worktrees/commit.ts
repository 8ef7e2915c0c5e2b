/**
 * Commits everything in a worktree on its branch (WT6), with Holdfast as the committer (WT4):
 * staged in an index of ours, without hooks, filters or signers. Repositories inside of it stay at
 * the commit that HEAD has of them.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { objectId } from '../../platform/files/git-refs.ts'
import { textOf } from '../../platform/files/plain-file.ts'
import { statusNotice } from '../../protocol/status-texts.ts'
import { withLockedIndex } from './checkout-lock.ts'
import { displayName, nulEnded, splitNul } from './file-names.ts'
import { GitFailure } from './git.ts'
import {
  copyIndex,
  indexFactsOf,
  isWork,
  leaveAway,
  type NamedFile,
  ownEntriesOf,
  uncommittedIn,
} from './look.ts'
import { moveHead } from './move-head.ts'
import type { OurWorktree, Repository } from './repository.ts'
import { gitlinkMode } from './staged-entries.ts'

const wholeTreeMs = 600_000
const maxParentsBytes = 64 * 1024

/** `left`: repositories that stay at HEAD's commit of them. */
export type CommitResult = {
  readonly commit: string | null
  readonly files: number
  readonly left: readonly string[]
}

export async function commitAll(
  { repository, gitFolder }: OurWorktree,
  message: string,
): Promise<CommitResult> {
  return withLockedIndex(gitFolder, async (index) => {
    const pending = await uncommittedIn(repository)
    const files = pending.filter(isWork)
    const left = pending.filter((file) => !isWork(file)).map(({ path }) => path)
    if (files.length === 0) return { commit: null, files: 0, left }
    await refuseFiltered(repository, files)
    const { head } = repository.facts
    const staged = `${repository.indexFile}.commit`
    try {
      await copyIndex(repository.indexFile, staged)
      const tree = await treeWith(repository, staged, files)
      const merged = mergedIn(gitFolder)
      const isSame = tree === (await repository.run(['rev-parse', `${head}^{tree}`])).trim()
      if (isSame && merged.length === 0) return { commit: null, files: 0, left }
      const parents = [head, ...merged].flatMap((id) => ['-p', id])
      const text = stripped(message)
      const commit = (
        await repository.run(['commit-tree', tree, ...parents, '-F', '-'], { input: text })
      ).trim()
      await moveHead(repository, head, commit, `commit: ${text.split('\n', 1)[0]}`)
      await showRepositories(repository, staged)
      await leaveAway(repository, staged, indexFactsOf(repository))
      await index.replaceBy(staged)
      for (const name of operationFiles) await rm(join(gitFolder, name), { force: true })
      return { commit, files: files.length, left }
    } finally {
      for (const file of [staged, `${staged}.lock`]) await rm(file, { force: true })
    }
  })
}

/** What git removes when a merge is committed. */
export const operationFiles = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'MERGE_RR',
  'AUTO_MERGE',
  'SQUASH_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
]

function mergedIn(gitFolder: string): string[] {
  const lines = (textOf(join(gitFolder, 'MERGE_HEAD'), maxParentsBytes) ?? '').split('\n')
  return lines.filter((line) => objectId.test(line))
}

/**
 * As git cleans a message: no comments, no spaces at ends, no empty lines at either end or twice.
 */
export function stripped(message: string): string {
  const lines = message.split('\n').filter((line) => !line.startsWith('#'))
  const text = lines.map((line) => line.trimEnd()).join('\n')
  return `${text.replaceAll(/\n{3,}/g, '\n\n').replaceAll(/^\n+|\n+$/g, '')}\n`
}

/**
 * Such a file is not as it would be committed: large files, for example, are kept elsewhere by a
 * program that we do not run.
 */
export async function filteredAmong(
  repository: Repository,
  names: readonly Buffer[],
): Promise<string[]> {
  if (names.length === 0) return []
  const words = splitNul(
    await repository.bytes(['check-attr', '-z', '--stdin', 'filter'], { input: nulEnded(names) }),
  )
  const isDriver = (at: number): boolean =>
    !['unspecified', 'unset', 'set'].includes(words[at + 2]?.toString() ?? 'unset')
  return words.flatMap((name, at) => (at % 3 === 0 && isDriver(at) ? [displayName(name)] : []))
}

export interface StagedWork {
  /** Undefined: there is nothing to commit. */
  readonly tree: string | undefined
  readonly files: number
  /** Repositories inside, which stay at the commit that HEAD has of them. */
  readonly left: readonly string[]
  /** The other parents of a merge that is under way. */
  readonly merged: readonly string[]
  /** A file that only a filter can stage. */
  readonly filtered: string | undefined
}

/** Makes the tree of everything in a worktree in an index of its own, and changes nothing there. */
export async function stageWork(
  { repository, gitFolder }: OurWorktree,
  index: string,
): Promise<StagedWork> {
  const pending = await uncommittedIn(repository)
  const files = pending.filter(isWork)
  const left = pending.filter((file) => !isWork(file)).map(({ path }) => path)
  const merged = mergedIn(gitFolder)
  const nothing = { tree: undefined, files: 0, left, merged, filtered: undefined }
  if (files.length === 0 && merged.length === 0) return nothing
  const [filtered] = await filteredAmong(repository, writtenNames(files))
  if (filtered !== undefined) return { ...nothing, filtered }
  try {
    await copyIndex(repository.indexFile, index)
    const tree = await treeWith(repository, index, files)
    const isSame =
      tree === (await repository.run(['rev-parse', `${repository.facts.head}^{tree}`])).trim()
    return isSame && merged.length === 0 ? nothing : { ...nothing, tree, files: files.length }
  } finally {
    for (const file of [index, `${index}.lock`]) await rm(file, { force: true })
  }
}

async function treeWith(
  repository: Repository,
  index: string,
  files: readonly NamedFile[],
): Promise<string> {
  const env = { GIT_INDEX_FILE: index }
  const update = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']
  await repository.run(update, {
    env,
    input: nulEnded(files.map(({ name }) => name)),
    timeoutMs: wholeTreeMs,
  })
  return (await repository.run(['write-tree'], { env })).trim()
}

const writtenNames = (files: readonly NamedFile[]): Buffer[] =>
  files.flatMap(({ change, name }) => (change === 'deleted' ? [] : [name]))

async function refuseFiltered(repository: Repository, files: readonly NamedFile[]): Promise<void> {
  const [file, ...more] = await filteredAmong(repository, writtenNames(files))
  if (file !== undefined)
    throw new GitFailure('needs_filter', statusNotice('needsFilter', { file, more: more.length }))
}

/** The checkout's index follows repositories inside, which ours does not. */
export async function showRepositories(repository: Repository, file: string): Promise<void> {
  const links = ownEntriesOf(repository, file).flatMap(({ mode, name }) =>
    mode === gitlinkMode ? [name] : [],
  )
  const args = ['update-index', '-z', '--no-skip-worktree', '--stdin']
  if (links.length > 0)
    await repository.run(args, { env: { GIT_INDEX_FILE: file }, input: nulEnded(links) })
}
