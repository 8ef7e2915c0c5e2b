/**
 * Keeps states from git's garbage collection (FS3): one ref for each conversation to a tree of its
 * states, and one for the newest tree of each private index, whose objects would otherwise be
 * pruned.
 */
import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { GitFailure, placeName } from '../worktrees/git.ts'
import { listWorktrees } from '../worktrees/repository.ts'
import type { FileState } from './capture.ts'
import { packedRefs, type Workplace } from './workplace.ts'

/** Attempts to update a ref that another process updates too. */
const maxAttempts = 5

export const stateRef = (key: string): string =>
  `refs/holdfast/states/${hash('sha256', key).slice(0, 32)}`
const indexRef = (place: Workplace): string => `refs/holdfast/index/${basename(place.dir)}`

interface KeptSet {
  readonly oid: string
  /** By object id: the line of `mktree`. */
  readonly entries: ReadonlyMap<string, string>
}

const nothing: KeptSet = { oid: '', entries: new Map() }

async function readSet(place: Workplace, ref: string): Promise<KeptSet> {
  const oid = (await place.refs(['for-each-ref', '--format=%(objectname)', ref])).trim()
  if (oid === '') return nothing
  const lines = (await place.run(['ls-tree', '-z', oid])).split('\0').filter(Boolean)
  return { oid, entries: new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line])) }
}

export class KeptStates {
  readonly #sets = new Map<string, KeptSet>()
  readonly #indexes = new Map<string, string>()
  /** What was kept since the last time that something was let go: perhaps not recorded yet. */
  readonly #recent = new Map<string, Set<string>>()

  /** Keeps a state for a conversation, and as the newest of its index. */
  async keep(place: Workplace, key: string, { tree, leftOut }: FileState): Promise<void> {
    const add = [
      `040000 tree ${tree}\t${tree}`,
      ...(leftOut === null ? [] : [`100644 blob ${leftOut}\t${leftOut}`]),
    ]
    const isNewest = this.#indexes.get(place.dir) === tree
    const isKept = (set: KeptSet) =>
      set.entries.has(tree) && (leftOut === null || set.entries.has(leftOut))
    const remembered = this.#sets.get(setKey(place, key))
    const recent = this.#recent.get(setKey(place, key)) ?? new Set()
    this.#recent.set(setKey(place, key), recent.add(tree).add(leftOut ?? tree))
    if (remembered && isNewest && isKept(remembered)) return
    await this.#change(
      place,
      key,
      (entries) => new Map([...entries, ...add.map((line) => [nameOf(line), line] as const)]),
      tree,
    )
    this.#indexes.set(place.dir, tree)
  }

  /**
   * Keeps only these objects of a conversation, and the recent ones. Returns how many were let go.
   */
  async keepOnly(place: Workplace, key: string, needed: ReadonlySet<string>): Promise<number> {
    let dropped = 0
    const recent = this.#recent.get(setKey(place, key))
    this.#recent.delete(setKey(place, key))
    await this.#change(place, key, (entries) => {
      const remaining = new Map([...entries].filter(([oid]) => needed.has(oid) || recent?.has(oid)))
      dropped = entries.size - remaining.size
      return remaining
    })
    await this.#dropIndexes(place)
    return dropped
  }

  /** Lets go of the newest trees, and of the private indexes, of worktrees that are gone. */
  async #dropIndexes(place: Workplace): Promise<void> {
    const listed = await place.refs(['for-each-ref', '--format=%(refname)', 'refs/holdfast/index'])
    const live = new Set(
      listWorktrees(place.repository).map(({ folder }) =>
        placeName(place.facts.commonFolder, folder),
      ),
    )
    for (const ref of listed.split('\n').filter(Boolean)) {
      const name = basename(ref)
      if (live.has(name) || name === basename(place.dir)) continue
      await place.refs(['update-ref', '--no-deref', '-d', ref])
      await rm(join(dirname(place.dir), name), { recursive: true, force: true })
    }
  }

  async #change(
    place: Workplace,
    key: string,
    changed: (entries: KeptSet['entries']) => KeptSet['entries'],
    newest?: string,
  ): Promise<void> {
    const ref = stateRef(key)
    for (let attempt = 1; ; attempt++) {
      const before =
        (attempt === 1 && this.#sets.get(setKey(place, key))) || (await readSet(place, ref))
      const entries = changed(before.entries)
      const oid = entries.size === 0 ? '' : await makeTree(place, entries)
      const none = '0'.repeat(place.facts.head.length)
      const lines = [
        ...(oid === before.oid
          ? []
          : [
              oid === ''
                ? `delete ${ref} ${before.oid}`
                : `update ${ref} ${oid} ${before.oid || none}`,
            ]),
        ...(newest === undefined ? [] : [`update ${indexRef(place)} ${newest}`]),
      ]
      try {
        if (lines.length > 0)
          await place.refs(['update-ref', '--no-deref', '--stdin'], `${lines.join('\n')}\n`)
        this.#sets.set(setKey(place, key), { oid, entries })
        return
      } catch (error) {
        this.#sets.delete(setKey(place, key))
        if (!(error instanceof GitFailure) || attempt === maxAttempts) throw error
        for (const each of [ref, indexRef(place), packedRefs]) await place.clearLock(each)
      }
    }
  }
}

const setKey = (place: Workplace, key: string): string => `${place.facts.commonFolder}\0${key}`
const nameOf = (line: string): string => line.slice(line.indexOf('\t') + 1)

/**
 * `--missing`: an old state that was lost must not prevent new ones. `update-ref` checks the
 * newest.
 */
async function makeTree(place: Workplace, entries: KeptSet['entries']): Promise<string> {
  return (
    await place.run(['mktree', '--missing', '-z'], {
      input: `${[...entries.values()].join('\0')}\0`,
    })
  ).trim()
}
