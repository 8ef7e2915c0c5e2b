/** The state of a worktree (WT2): its branch, how far it is ahead and behind, and the files changed since its fork point. */
import { lstat } from 'node:fs/promises'
import type { ChangedFile, WorktreeState } from '../../protocol/worktrees/worktree.ts'
import type { OurWorktree, Repository } from './repository.ts'

const asText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const nul = 0

/** File names as git prints them: bytes without NUL, used as such. Displayed as text, with invalid bytes escaped. Pure. */
export function displayName(name: Buffer): string {
  try {
    return asText.decode(name)
  } catch {
    return name.toString('latin1').replaceAll(/[\u0080-\u00ff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)
  }
}

export const nulEnded = (words: readonly Buffer[]): Buffer => Buffer.concat(words.flatMap((word) => [word, Buffer.of(0)]))

/** Splits NUL-terminated words. An unterminated last word is dropped. */
export function splitNul(output: Buffer): Buffer[] {
  const words: Buffer[] = []
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(nul, at)
    if (end < 0) break
    words.push(output.subarray(at, end))
    at = end + 1
  }
  return words
}

/** Joins a folder and a file name as bytes. */
export const pathOf = (top: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${top}/`), name])

/** A pathspec for exactly this file. Arguments are text, so invalid bytes become single-character wildcards. */
export function pathspecOf(name: Buffer): string {
  const shown = name.toString()
  if (Buffer.from(shown).equals(name)) return `:(top,literal)${shown}`
  return `:(top,glob)${name
    .toString('latin1')
    .replaceAll(/[\\*?[]/g, '\\$&')
    .replaceAll(/[\u0080-\u00ff]/g, '?')}`
}

/** The git command that merges the work (WT6), for a person to run in their checkout. Pure. */
export const mergeCommand = (branch: string, target: string, how: 'merge' | 'rebase'): string =>
  how === 'merge'
    ? `git switch ${quoted(target)} && git merge ${quoted(branch)}`
    : `git switch ${quoted(target)} && git cherry-pick ${quoted(`${target}..${branch}`)}`

const quoted = (word: string): string => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** Index mode of a submodule. */
const gitlink = '160000 '

/** Lists submodules that are checked out, whether `.gitmodules` names them or not. */
export async function submodulesIn(repository: Repository): Promise<Buffer[]> {
  const words = splitNul(await repository.bytes(['ls-files', '--stage', '-z'], { wordPrefix: gitlink }))
  const names = new Map(words.map((word) => [word.toString('latin1'), word.subarray(word.indexOf('\t') + 1)]))
  const { top } = repository.facts
  const there = async (name: Buffer) =>
    (await lstat(pathOf(top, Buffer.concat([name, Buffer.from('/.git')]))).catch(() => undefined)) ? [name] : []
  return (await Promise.all([...names.values()].map(there))).flat()
}

/** Options of every `git diff`, so that it runs no programs (SE4). */
export const safeDiffOptions = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--submodule=short']
const maxNamedFiles = 1000

export interface NamedFile extends ChangedFile {
  readonly name: Buffer
  readonly from?: Buffer
  /** Uncommitted files of a submodule. */
  readonly within?: readonly NamedFile[]
}

export const withoutName = ({ path, change }: NamedFile): ChangedFile => ({ path, change })

/** `uncommitted` is passed when it was just read. */
export async function stateOf(worktree: OurWorktree, uncommitted?: readonly NamedFile[]): Promise<WorktreeState> {
  const { repository, record } = worktree
  const [pending, since, apart] = await Promise.all([
    uncommitted ?? uncommittedIn(worktree),
    changedSince(worktree),
    record.baseBranch === null
      ? undefined
      : repository.try(['rev-list', '--left-right', '--count', `HEAD...refs/heads/${record.baseBranch}`]),
  ])
  const files = mergeFiles(since, pending)
  const counts = apart?.code === 0 ? apart.stdout.trim().split('\t').map(Number) : []
  return {
    branch: repository.facts.branch,
    head: repository.facts.head,
    ahead: counts[0] ?? null,
    behind: counts[1] ?? null,
    files: files.slice(0, maxNamedFiles).map(withoutName),
    fileCount: files.length,
    uncommitted: pending.length,
    command: record.baseBranch === null ? null : mergeCommand(record.branch, record.baseBranch, 'merge'),
  }
}

/** All changes since the fork point, untracked files last. */
export const filesOf = async (worktree: OurWorktree): Promise<NamedFile[]> =>
  mergeFiles(await changedSince(worktree), await uncommittedIn(worktree))

function mergeFiles(since: readonly NamedFile[], pending: readonly NamedFile[]): NamedFile[] {
  const conflicted = new Set(pending.filter(({ change }) => change === 'conflicted').map(({ path }) => path))
  return [
    ...since.map((file) => (conflicted.has(file.path) ? ({ ...file, change: 'conflicted' } as const) : file)),
    ...pending.filter(({ change }) => change === 'untracked'),
  ]
}

/** Files that would be lost with the folder: changed, staged, untracked, submodules with any of those. Not ignored ones. */
export async function uncommittedIn({ repository }: { readonly repository: Repository }): Promise<NamedFile[]> {
  // Submodules are compared by commit only: git would start itself in each, obeying the submodule's configuration (SE4).
  const args = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignore-submodules=dirty', '--no-renames']
  const [lines, submodules] = await Promise.all([repository.bytes(args), submodulesIn(repository)])
  const files = new Map<string, NamedFile>()
  for (const line of splitNul(lines).filter(({ length }) => length > 3)) {
    const file = named(line.subarray(3), pendingChange(line.toString('latin1', 0, 2)))
    files.set(`${file.change === 'untracked'} ${file.path}`, file)
  }
  for (const name of submodules) {
    const within = await uncommittedInside(repository, name)
    const file = named(name, 'modified')
    if (within.length > 0) files.set(`false ${file.path}`, { ...file, within })
  }
  return [...files.values()]
}

/** Inspects a submodule without running its programs. One that cannot be inspected counts as changed. */
async function uncommittedInside(repository: Repository, name: Buffer): Promise<NamedFile[]> {
  const checkout = await repository.checkoutAt(pathOf(repository.facts.top, name).toString())
  if (!checkout) return [named(name, 'modified')]
  const inside = await uncommittedIn({ repository: checkout })
  return inside.flatMap((file) => [file, ...(file.within ?? [])].map((each) => below(name, each)))
}

const below = (folder: Buffer, { name, change }: NamedFile): NamedFile =>
  named(Buffer.concat([folder, Buffer.from('/'), name]), change)

const named = (name: Buffer, change: ChangedFile['change']): NamedFile => ({ name, path: displayName(name), change })

function pendingChange(letters: string): ChangedFile['change'] {
  if (letters === '??') return 'untracked'
  if (letters.includes('U') || letters === 'AA' || letters === 'DD') return 'conflicted'
  if (letters.includes('D')) return 'deleted'
  return letters.includes('A') ? 'added' : 'modified'
}

/** `M\0path\0R100\0old\0new\0` */
async function changedSince(worktree: OurWorktree): Promise<NamedFile[]> {
  const args = ['diff', ...safeDiffOptions, '--name-status', '--find-renames', '-z', await worktree.forkPoint(), '--']
  const words = splitNul(await worktree.repository.bytes(args))
  const files: NamedFile[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const letter = words[at]?.toString('latin1', 0, 1)
    const isMove = letter === 'R' || letter === 'C'
    const [first, second] = [words[at + 1] ?? Buffer.of(), words[at + 2] ?? Buffer.of()]
    if (isMove) files.push({ ...named(second, 'renamed'), from: first })
    else files.push(named(first, letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'modified'))
    if (isMove) at++
  }
  return files
}
