/**
 * Brings a workplace's files to an earlier state (FS5). The present state is kept first, with
 * ignored files that stand in the way, so the restore can be undone. What somebody else changed is
 * shown and needs a confirmation. A restore that was cut off is completed by asking for it again.
 */

import { hash } from 'node:crypto'
import { lstat, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { statusNotice } from '../../protocol/status-texts.ts'
import type { RestoreAnswer, RewindLoss } from '../../protocol/worktrees/file-state.ts'
import { displayName, nulEnded, pathOf } from '../worktrees/file-names.ts'
import { GitFailure } from '../worktrees/git.ts'
import { indexFactsOf, isLeftAway } from '../worktrees/look.ts'
import {
  capture,
  type FileState,
  isAmong,
  maxFileBytes,
  readNames,
  updateIndex,
} from './capture.ts'
import { type ChangedPath, changedPaths } from './compare.ts'
import type { KeptStates } from './kept-states.ts'
import type { Workplace } from './workplace.ts'

/** Ignored files in the way that are kept for an undo. */
const maxInTheWay = 10_000
const maxNamedLosses = 1000
const maxAttempts = 3

export interface RestoreRequest {
  /** The same id again completes it, or returns its result. */
  readonly id: string
  readonly key: string
  readonly target: FileState
  /** The state that the conversation knows; null: none, so every change is shown. */
  readonly expected: FileState | null
  /** The token of the losses that a person has seen. */
  readonly confirmed: string | null
}

/** Written before the first file is changed. */
interface Journal {
  readonly id: string
  readonly now: FileState
  readonly target: FileState
  readonly answer: RestoreAnswer | null
}

const journalFile = (place: Workplace): string => join(place.dir, 'restore.json')

async function readJournal(place: Workplace): Promise<Journal | undefined> {
  const text = await readFile(journalFile(place), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Journal)
}

const writeJournal = (place: Workplace, journal: Journal): Promise<void> =>
  writeFileAtomic(journalFile(place), JSON.stringify(journal))

export async function restore(
  place: Workplace,
  states: KeptStates,
  request: RestoreRequest,
): Promise<RestoreAnswer> {
  const begun = await readJournal(place)
  if (begun?.id === request.id) return begun.answer ?? complete(place, states, request, begun)
  for (let attempt = 1; ; attempt++) {
    const answer = await tryRestore(place, states, request).catch(async (error: unknown) => {
      // Once files may have been written, it has to be completed.
      if ((await readJournal(place))?.id === request.id) throw error
      return restoreFailed(error)
    })
    if (answer !== 'changed') return answer
    if (attempt === maxAttempts) return { outcome: 'refused', reason: 'changing' }
  }
}

export const restoreFailed = (error: unknown) =>
  ({
    outcome: 'refused',
    reason: 'failed',
    why: error instanceof Error ? error.message : String(error),
  }) as const

export const isThere = async (place: Workplace, object: string): Promise<boolean> =>
  (await place.try(['cat-file', '-e', object])).code === 0

async function tryRestore(
  place: Workplace,
  states: KeptStates,
  request: RestoreRequest,
): Promise<RestoreAnswer | 'changed'> {
  if (!(await isThere(place, request.target.tree)))
    return { outcome: 'refused', reason: 'state_gone' }
  const before = await capture(place)
  const target = await effectiveTarget(place, request.target, before)
  const inTheWay = await findInTheWay(place, await changedPaths(place, before.tree, target))
  if (inTheWay.blocked.length > 0)
    return { outcome: 'refused', reason: 'in_the_way', files: inTheWay.blocked.map(displayName) }
  const now: FileState =
    inTheWay.names.length === 0
      ? before
      : { ...before, tree: await withFiles(place, inTheWay.names) }
  const paths = await changedPaths(place, now.tree, target)
  const losses = await lossesOf(place, request, { before, paths, inTheWay: inTheWay.names })
  const token = hash('sha256', `${now.tree} ${target}`).slice(0, 16)
  if (losses.length > 0 && request.confirmed !== token) {
    if (inTheWay.names.length > 0) await updateIndex(place, ['--force-remove'], inTheWay.names)
    return {
      outcome: 'would_lose',
      token,
      files: losses.slice(0, maxNamedLosses),
      count: losses.length,
    }
  }
  await states.keep(place, request.key, now)
  const wanted = { tree: target, leftOut: request.target.leftOut }
  await states.keep(place, request.key, wanted)
  await writeJournal(place, { id: request.id, now: plain(now), target: wanted, answer: null })
  const done = await writeFiles(place, states, request, {
    now: plain(now),
    target: wanted,
    from: now.tree,
    kept: [],
  })
  // Nothing was written.
  if (done === 'changed') await rm(journalFile(place), { force: true })
  return done
}

const plain = ({ tree, leftOut }: FileState): FileState => ({ tree, leftOut })

/** git checks all files before it writes the first. */
const refusedByGit = /not uptodate|would be (?:overwritten|removed)/

interface Writing {
  readonly now: FileState
  readonly target: FileState
  /** The tree of the index, which the files equal. */
  readonly from: string
  /** Files of others that are left as they are. */
  readonly kept: readonly string[]
}

async function writeFiles(
  place: Workplace,
  states: KeptStates,
  { id, key }: RestoreRequest,
  writing: Writing,
): Promise<RestoreAnswer | 'changed'> {
  const { now, target, from } = writing
  place.memory.tree = undefined
  const result = await place.try(['read-tree', '-m', '-u', from, target.tree])
  if (result.code !== 0) {
    await place.recover()
    if (!refusedByGit.test(result.stderr)) throw new GitFailure(result.code, result.stderr.trim())
    return 'changed'
  }
  place.memory.tree = target.tree
  await states.keep(place, key, target)
  const answer: RestoreAnswer = { outcome: 'done', before: now, after: target, kept: writing.kept }
  await writeJournal(place, { id, now, target, answer })
  return answer
}

/**
 * Completes a restore that was cut off. A file that is neither as before nor as wanted was changed
 * by others and is kept.
 */
async function complete(
  place: Workplace,
  states: KeptStates,
  request: RestoreRequest,
  { now, target }: Journal,
): Promise<RestoreAnswer> {
  const wanted = new Map(
    (await changedPaths(place, now.tree, target.tree)).map((path) => [
      path.name.toString('latin1'),
      path,
    ]),
  )
  // Written already, and perhaps ignored.
  const there: Buffer[] = []
  for (const { name, status } of wanted.values())
    if (
      status === 'A' &&
      (await lstat(pathOf(place.facts.top, name)).catch(() => undefined))?.isFile()
    )
      there.push(name)
  const current = await capture(place, there)
  await states.keep(place, request.key, current)
  const foreign: ChangedPath[] = []
  for (const path of await changedPaths(place, now.tree, current.tree))
    if (!(await isOurs(place, path, wanted.get(path.name.toString('latin1'))))) foreign.push(path)
  const tree = await treeWith(place, target.tree, foreign)
  const after = { tree, leftOut: target.leftOut }
  const done = await writeFiles(place, states, request, {
    now,
    target: after,
    from: current.tree,
    kept: foreign.map(({ name }) => displayName(name)),
  })
  if (done === 'changed') throw new GitFailure(-1, statusNotice('filesChange'))
  return done
}

/**
 * Whether a file is as git leaves it in the middle of a restore: done, missing, or written in part.
 */
async function isOurs(
  place: Workplace,
  path: ChangedPath,
  wanted: ChangedPath | undefined,
): Promise<boolean> {
  if (!wanted) return false
  if (path.status === 'D' || (path.to.id === wanted.to.id && path.to.mode === wanted.to.mode))
    return true
  if (wanted.status === 'D' || path.to.mode === '120000') return false
  const read = (id: string) => place.bytes(['cat-file', 'blob', id], { maxBytes: maxFileBytes })
  const [found, whole] = await Promise.all([read(path.to.id), read(wanted.to.id)])
  return found.length < whole.length && whole.subarray(0, found.length).equals(found)
}

/** What the target left out stays as it is, and what is outside of a sparse checkout stays away. */
async function effectiveTarget(
  place: Workplace,
  target: FileState,
  before: FileState,
): Promise<string> {
  const leftOut = await readNames(place, target)
  const facts = indexFactsOf(place.repository)
  const stay = (await changedPaths(place, target.tree, before.tree)).filter(
    ({ name, status }) =>
      (status === 'A' && isAmong(leftOut, name)) || (status === 'D' && isLeftAway(facts, name)),
  )
  return treeWith(place, target.tree, stay)
}

/** A tree with these paths as they are on their `to` side. */
async function treeWith(
  place: Workplace,
  tree: string,
  paths: readonly ChangedPath[],
): Promise<string> {
  if (paths.length === 0) return tree
  const env = { GIT_INDEX_FILE: `${place.indexFile}.target` }
  await place.run(['read-tree', tree], { env })
  const lines = paths.map(({ name, to }) =>
    Buffer.concat([Buffer.from(`${to.mode === '000000' ? '0' : to.mode} ${to.id}\t`), name]),
  )
  await place.run(['update-index', '-z', '--index-info'], { env, input: nulEnded(lines) })
  return (await place.run(['write-tree'], { env })).trim()
}

async function withFiles(place: Workplace, names: readonly Buffer[]): Promise<string> {
  await updateIndex(place, ['--add', '--replace'], names)
  place.memory.tree = (await place.run(['write-tree'])).trim()
  return place.memory.tree
}

interface InTheWay {
  /** Files that are in no state and would be overwritten. */
  readonly names: Buffer[]
  readonly blocked: Buffer[]
}

/**
 * git overwrites ignored files, and removes an ignored folder where a file must go, without a word.
 */
async function findInTheWay(place: Workplace, paths: readonly ChangedPath[]): Promise<InTheWay> {
  const leaving = new Set(
    paths.filter(({ status }) => status !== 'A').map(({ name }) => name.toString('latin1')),
  )
  const found: InTheWay = { names: [], blocked: [] }
  const seen = new Set<string>()
  for (const { name, status } of paths) {
    if (status !== 'A') continue
    for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1))
      await visit(name.subarray(0, at), false)
    await visit(name, true)
  }
  return found

  async function visit(name: Buffer, isLast: boolean): Promise<void> {
    const nameKey = name.toString('latin1')
    if (seen.has(nameKey) || leaving.has(nameKey)) return
    seen.add(nameKey)
    const there = await lstat(pathOf(place.facts.top, name)).catch(() => undefined)
    if (!there || (there.isDirectory() && !isLast)) return
    if (there.isDirectory()) {
      const entries = await readdir(pathOf(place.facts.top, name), { encoding: 'buffer' })
      for (const entry of entries)
        await visit(Buffer.concat([name, Buffer.from('/'), entry as unknown as Buffer]), true)
      return
    }
    const isKeepable =
      (there.isFile() || there.isSymbolicLink()) &&
      there.size <= maxFileBytes &&
      !/(^|\/)\.git(\/|$)/i.test(nameKey)
    const list = isKeepable && found.names.length < maxInTheWay ? found.names : found.blocked
    list.push(name)
  }
}

interface LossFacts {
  readonly before: FileState
  readonly paths: readonly ChangedPath[]
  readonly inTheWay: readonly Buffer[]
}

async function lossesOf(
  place: Workplace,
  { expected }: RestoreRequest,
  { before, paths, inTheWay }: LossFacts,
) {
  const ignored = new Set(inTheWay.map((name) => name.toString('latin1')))
  const since =
    expected &&
    new Set(
      (await changedPaths(place, expected.tree, before.tree)).map(({ name }) =>
        name.toString('latin1'),
      ),
    )
  return paths.flatMap(({ name }): RewindLoss[] => {
    const nameKey = name.toString('latin1')
    if (ignored.has(nameKey)) return [{ path: displayName(name), why: 'ignored' }]
    return !since || since.has(nameKey) ? [{ path: displayName(name), why: 'changed' }] : []
  })
}
