/**
 * Compares the two trees of a view (RV1): which files differ, by which lines, and their text. Line
 * ends do not count: a commit has them normalised, a state byte for byte.
 */
import type { ReviewedChanges, ReviewedFile } from '../../protocol/review/review-requests.ts'
import { maxReviewedBytes } from '../../protocol/review/review-requests.ts'
import type { Workplace } from '../file-states/workplace.ts'
import { displayName, pathspecOf, splitNul } from '../worktrees/file-names.ts'

const maxShownBytes = 2 * 1024 * 1024
const maxNamedFiles = 1000
const safe = ['--no-ext-diff', '--no-textconv', '--no-color', '-r', '--find-renames']
const lineEnds = '--ignore-cr-at-eol'

/** A file that differs between two trees, by the bytes of its names. */
export interface ChangedFile {
  readonly name: Buffer
  readonly oldName: Buffer
  readonly change: ReviewedFile['change']
  readonly oldBlob: string | null
  readonly newBlob: string | null
}

const changes: Readonly<Record<string, ReviewedFile['change']>> = {
  A: 'added',
  D: 'deleted',
  R: 'renamed',
}
const isNone = (id: string): boolean => /^0+$/.test(id)

export async function changedFiles(
  place: Workplace,
  from: string,
  to: string,
): Promise<ChangedFile[]> {
  if (from === to) return []
  const args = ['diff-tree', ...safe, '--raw', '--no-abbrev', '-z', from, to]
  const words = splitNul(await place.bytes(args))
  const found: ChangedFile[] = []
  for (let at = 0; at + 1 < words.length; ) {
    const about = words[at++]?.toString('latin1').split(' ') ?? []
    const [, , oldId = '', newId = '', status = ''] = about
    const oldName = words[at++] ?? Buffer.of()
    const isRenamed = status.startsWith('R')
    found.push({
      oldName,
      name: isRenamed ? (words[at++] ?? oldName) : oldName,
      change: changes[status.slice(0, 1)] ?? 'modified',
      oldBlob: isNone(oldId) ? null : oldId,
      newBlob: isNone(newId) ? null : newId,
    })
  }
  return found
}

type Counts = Pick<ReviewedFile, 'added' | 'removed'>

async function countsOf(place: Workplace, from: string, to: string): Promise<Map<string, Counts>> {
  const counts = new Map<string, Counts>()
  const args = ['diff-tree', ...safe, lineEnds, '--numstat', '-z', from, to]
  const words = splitNul(await place.bytes(args))
  const count = (text: string) => (text === '-' ? null : Number(text))
  for (let at = 0; at < words.length; ) {
    const word = words[at++] ?? Buffer.of()
    const [added = '', removed = ''] = word.toString('latin1').split('\t', 2)
    const name = word.subarray(added.length + removed.length + 2)
    // Renamed: both names follow.
    if (name.length === 0) at += 2
    const shown = name.length === 0 ? words[at - 1] : name
    counts.set((shown ?? name).toString('latin1'), { added: count(added), removed: count(removed) })
  }
  return counts
}

/** `path`: one file alone, by its displayed path. */
export async function changesOf(
  place: Workplace,
  trees: { readonly from: string; readonly to: string },
  { path, withText }: { readonly path: string | null; readonly withText: boolean },
): Promise<ReviewedChanges> {
  const { from, to } = trees
  const all = await changedFiles(place, from, to)
  const counts = all.length === 0 ? new Map<string, Counts>() : await countsOf(place, from, to)
  const wanted = all.filter(({ name }) => path === null || displayName(name) === path)
  const files = wanted.slice(0, maxNamedFiles).map(({ name, oldName, ...file }) => ({
    path: displayName(name),
    oldPath: file.change === 'renamed' ? displayName(oldName) : null,
    ...(counts.get(name.toString('latin1')) ?? { added: 0, removed: 0 }),
    ...file,
  }))
  const shown = { from, to, files, fileCount: wanted.length }
  if (!withText || wanted.length === 0) return { ...shown, text: '', cut: false }
  const only =
    path === null ? [] : wanted.flatMap(({ name, oldName }) => [name, oldName].map(pathspecOf))
  const args = ['diff-tree', ...safe, lineEnds, '--full-index', '-p', from, to, '--', ...only]
  const { bytes, cut } = await place.try(args, { maxBytes: maxShownBytes })
  const text = (cut ? bytes.subarray(0, bytes.lastIndexOf('\n') + 1) : bytes).toString()
  return { ...shown, text, cut }
}

/** The versions of files in a tree, by their displayed paths. */
export async function blobsIn(
  place: Workplace,
  tree: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const blobs = new Map<string, string>()
  if (paths.length === 0) return blobs
  const words = splitNul(await place.bytes(['ls-tree', '-r', '-z', '--full-tree', tree]))
  const wanted = new Set(paths)
  for (const word of words) {
    const end = word.indexOf('\t')
    const path = displayName(word.subarray(end + 1))
    const [, kind, id] = word.subarray(0, end).toString('latin1').split(' ')
    if (kind === 'blob' && id && wanted.has(path)) blobs.set(path, id)
  }
  return blobs
}

const nulInBegin = 8000

/** The bytes of a version; undefined: it is gone, or too long. */
export async function bytesOfBlob(place: Workplace, blob: string): Promise<Buffer | undefined> {
  const maxBytes = maxReviewedBytes
  const { code, bytes, cut } = await place.try(['cat-file', 'blob', blob], { maxBytes })
  return code !== 0 || cut ? undefined : bytes
}

/** The text of a version; undefined: it is gone, too long, or no text. */
export async function textOfBlob(place: Workplace, blob: string): Promise<string | undefined> {
  const bytes = await bytesOfBlob(place, blob)
  return bytes?.subarray(0, nulInBegin).includes(0) ? undefined : bytes?.toString()
}
