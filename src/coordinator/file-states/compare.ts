/**
 * Compares two states of a workplace (FS4): the lines that changed, file by file, and a diff to
 * read.
 */
import type { FileChanges, StateDiff } from '../../protocol/worktrees/file-state.ts'
import { displayName, pathspecOf, splitNul } from '../worktrees/file-names.ts'
import type { Workplace } from './workplace.ts'

const maxShownBytes = 2 * 1024 * 1024
const maxNamedFiles = 1000
const safe = ['--no-ext-diff', '--no-textconv', '--no-color', '-r']

interface ChangedLines {
  readonly name: Buffer
  /** null: not text. */
  readonly added: number | null
  readonly removed: number | null
}

async function changedLines(place: Workplace, from: string, to: string): Promise<ChangedLines[]> {
  if (from === to) return []
  const words = splitNul(
    await place.bytes(['diff-tree', ...safe, '--no-renames', '--numstat', '-z', from, to]),
  )
  return words.map((word) => {
    const [added = '', removed = ''] = word.toString('latin1').split('\t', 2)
    const count = (text: string) => (text === '-' ? null : Number(text))
    return {
      name: word.subarray(added.length + removed.length + 2),
      added: count(added),
      removed: count(removed),
    }
  })
}

const sumOf = (files: readonly ChangedLines[]): FileChanges => ({
  files: files.length,
  added: files.reduce((sum, { added }) => sum + (added ?? 0), 0),
  removed: files.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
})

export const changesBetween = async (
  place: Workplace,
  from: string,
  to: string,
): Promise<FileChanges> => sumOf(await changedLines(place, from, to))

/** `path` selects one file by its displayed path. */
export async function diffBetween(
  place: Workplace,
  from: string,
  to: string,
  path: string | null,
): Promise<StateDiff> {
  const all = await changedLines(place, from, to)
  const files = all.filter(({ name }) => path === null || displayName(name) === path)
  const listed = files
    .slice(0, maxNamedFiles)
    .map(({ name, added, removed }) => ({ path: displayName(name), added, removed }))
  const only = path === null ? [] : files.map(({ name }) => pathspecOf(name))
  if (files.length === 0) return { text: '', cut: false, files: listed, changes: sumOf(all) }
  const args = ['diff-tree', ...safe, '--find-renames', '-p', from, to, '--', ...only]
  const { bytes, cut } = await place.try(args, { maxBytes: maxShownBytes })
  const text = (cut ? bytes.subarray(0, bytes.lastIndexOf('\n') + 1) : bytes).toString()
  return { text, cut, files: listed, changes: sumOf(all) }
}

/** A path that differs between two trees; id and mode are zeros where it is missing. */
export interface ChangedPath {
  readonly name: Buffer
  readonly status: string
  readonly from: { readonly mode: string; readonly id: string }
  readonly to: { readonly mode: string; readonly id: string }
}

export async function changedPaths(
  place: Workplace,
  from: string,
  to: string,
): Promise<ChangedPath[]> {
  if (from === to) return []
  const words = splitNul(
    await place.bytes(['diff-tree', '-r', '--raw', '-z', '--no-renames', '--no-abbrev', from, to]),
  )
  const paths: ChangedPath[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [fromMode = '', toMode = '', fromId = '', toId = '', status = ''] = (
      words[at]?.toString('latin1') ?? ''
    )
      .slice(1)
      .split(' ')
    const name = words[at + 1] ?? Buffer.of()
    paths.push({
      name,
      status,
      from: { mode: fromMode, id: fromId },
      to: { mode: toMode, id: toId },
    })
  }
  return paths
}
