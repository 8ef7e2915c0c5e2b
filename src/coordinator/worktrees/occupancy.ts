/**
 * Who is in which workspace of this machine (WT3): an agent that is about to be started there counts from before its folder is looked for, and a
 * removal that has begun is waited for. So a tree is never taken away under an agent, nor given to one while it goes.
 */
export class Occupancy {
  /** By the root of a user session: agents whose place is not known yet. */
  readonly #entering = new Map<string, number>()
  /** Launches that have come and not left; one that is given up may leave before its place is made. */
  readonly #launches = new Set<string>()
  /** By launch: the tops of the places it has; its contexts may work in several (CX9). */
  readonly #folders = new Map<string, Set<string>>()
  /** By root: removals that have begun. */
  readonly #removals = new Map<string, Promise<unknown>>()

  /** Finds or makes a place for a launch below the root; it is occupied from then on, until the launch leaves. */
  async enter<Folder>(
    launchId: string,
    root: string,
    make: () => Promise<Folder>,
    topOf: (folder: Folder) => string,
  ): Promise<Folder> {
    this.#launches.add(launchId)
    for (let under = this.#removals.get(root); under; under = this.#removals.get(root)) await under.catch(() => {})
    this.#entering.set(root, (this.#entering.get(root) ?? 0) + 1)
    try {
      const folder = await make()
      if (this.#launches.has(launchId)) this.#folders.set(launchId, (this.#folders.get(launchId) ?? new Set()).add(topOf(folder)))
      return folder
    } finally {
      const left = (this.#entering.get(root) ?? 1) - 1
      if (left > 0) this.#entering.set(root, left)
      else this.#entering.delete(root)
    }
  }

  leave(launchId: string): void {
    this.#launches.delete(launchId)
    this.#folders.delete(launchId)
  }

  isOccupied(top: string): boolean {
    return [...this.#folders.values()].some((folders) => folders.has(top))
  }

  /** Runs a removal while nobody can come in; gives `in_use` when somebody is there or on the way. One at a time below a root. */
  async remove<Result>(root: string, top: string, work: () => Promise<Result>): Promise<Result | 'in_use'> {
    for (let under = this.#removals.get(root); under; under = this.#removals.get(root)) await under.catch(() => {})
    if (this.#entering.has(root) || this.isOccupied(top)) return 'in_use'
    const removal = work()
    this.#removals.set(root, removal)
    try {
      return await removal
    } finally {
      this.#removals.delete(root)
    }
  }
}
