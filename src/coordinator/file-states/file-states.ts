/**
 * File states of this machine's git workplaces (FS): taken, compared, brought back, forked; one
 * thing at a time in each.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type FileChanges,
  type FileState,
  type LeftOutFile,
  maxShownLeftOut,
  type RestoreAnswer,
  type StateDiff,
} from '../../protocol/worktrees/file-state.ts'
import { type Git, GitFailure } from '../worktrees/git.ts'
import { copyIndex, placeIndex } from '../worktrees/look.ts'
import { capture, shownNames } from './capture.ts'
import { changesBetween, diffBetween } from './compare.ts'
import { KeptStates } from './kept-states.ts'
import { isThere, type RestoreRequest, restore } from './restore.ts'
import { type Workplace, Workplaces } from './workplace.ts'

// Writes a state into a new worktree byte for byte (FS6). The worktree's own index gets its commit,
// as after a checkout.

/** Parallel checkout of git, for trees that are large enough. */
const parallel = { 'checkout.workers': '0' }

/**
 * Repeated after a crash it writes everything again. The index of the worktree comes last and says
 * that it is complete.
 */
async function writeState(place: Workplace, { tree }: { readonly tree: string }): Promise<void> {
  const { gitFolder, head } = place.facts
  await place.recover()
  if (existsSync(place.indexFile)) await place.dropIndex()
  await place.run(['read-tree', '--reset', '-u', tree], { config: parallel })
  place.memory.tree = tree
  const index = `${place.indexFile}.checkout`
  await rm(`${index}.lock`, { force: true })
  await copyIndex(place.indexFile, index)
  // Keeps what is known of the files that are as in the commit.
  await place.repository.run(['read-tree', '-m', head], { env: { GIT_INDEX_FILE: index } })
  await placeIndex(index, join(gitFolder, 'index'))
  await rm(index, { force: true })
}

export interface TakenState {
  readonly top: string
  readonly state: FileState
  readonly leftOut: readonly LeftOutFile[]
}

export class FileStates {
  readonly #git: Git
  readonly #workplaces: Workplaces
  readonly #kept = new KeptStates()

  constructor(git: Git) {
    this.#git = git
    this.#workplaces = new Workplaces(git)
  }

  /**
   * Takes a state, or `known`, and keeps it for a conversation. Null where there is no git
   * workplace.
   */
  take(folder: string, key: string, reused?: FileState): Promise<TakenState | null> {
    return this.#in(folder, async (place) => {
      if (reused) {
        await this.#kept.keep(place, key, reused)
        return { top: place.facts.top, state: reused, leftOut: [] }
      }
      const taken = await this.#take(place, key).catch(async (error: unknown) => {
        if (!(error instanceof GitFailure)) throw error
        // Objects were pruned before they were kept.
        await place.dropIndex()
        return this.#take(place, key)
      })
      const { tree, leftOut, names } = taken
      const { top, head } = place.facts
      return {
        top,
        state: { tree, leftOut, head },
        leftOut: shownNames(names.slice(0, maxShownLeftOut)),
      }
    })
  }

  changes(folder: string, from: string, to: string): Promise<FileChanges | null> {
    return this.at(folder, (place) => changesBetween(place, from, to))
  }

  diff(folder: string, from: string, to: string, path: string | null): Promise<StateDiff | null> {
    return this.at(folder, (place) => diffBetween(place, from, to, path))
  }

  restore(folder: string, request: RestoreRequest): Promise<RestoreAnswer | null> {
    return this.#in(folder, (place) => restore(place, this.#kept, request))
  }

  /** Writes a state of another workplace of the repository into a new worktree. */
  async write(top: string, state: FileState, key: string): Promise<void> {
    await this.#in(top, async (place) => {
      await writeState(place, state)
      await this.#kept.keep(place, key, state)
    })
  }

  /**
   * The commit to begin a fork at: the one of the state, or the present one when that is gone. Null
   * when the state is gone.
   */
  forkBase(folder: string, { tree, head }: FileState): Promise<string | null> {
    return this.at(folder, async (place) => {
      if (!(await isThere(place, tree))) return null
      return (await isThere(place, `${head}^{commit}`)) ? head : place.facts.head
    })
  }

  /** Lets go of the states that no turn needs. */
  keepOnly(folder: string, key: string, needed: readonly string[]): Promise<number | null> {
    return this.#in(folder, (place) => this.#kept.keepOnly(place, key, new Set(needed)))
  }

  async #take(place: Workplace, key: string) {
    const taken = await capture(place)
    await this.#kept.keep(place, key, taken)
    return taken
  }

  /** Reads in a workplace; null where there is none. */
  async at<Result>(
    folder: string,
    work: (place: Workplace) => Promise<Result>,
  ): Promise<Result | null> {
    const place = await this.#workplaces.open(folder)
    return place ? work(place) : null
  }

  #in<Result>(folder: string, work: (place: Workplace) => Promise<Result>): Promise<Result | null> {
    return this.at(folder, (place) => this.#git.serialize(`files ${place.dir}`, () => work(place)))
  }
}
