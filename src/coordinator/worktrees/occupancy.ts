/**
 * Tracks which launches use which workspaces (WT3). A launch counts before its workspace is looked
 * up, and waits for a removal in progress. So no workspace is removed under an agent, or given to
 * one while it is being removed.
 */
export class Occupancy {
  /** By user session root: launches whose workspace is not known yet. */
  readonly #entering = new Map<string, number>()
  /**
   * Launches that have entered and not left. A cancelled launch may leave before its workspace
   * exists.
   */
  readonly #launches = new Set<string>()
  /** By launch: the folders it uses. Its contexts may use several (CX9). */
  readonly #folders = new Map<string, Set<string>>()
  /** By launch: the end of what it started, once its own process has exited. */
  readonly #ending = new Map<string, Promise<unknown>>()
  /** By root: removals in progress. */
  readonly #removals = new Map<string, Promise<unknown>>()

  /**
   * Finds or makes a folder for a launch below the root, and marks it as used until the launch
   * leaves.
   */
  async enter<Folder>(
    launchId: string,
    root: string,
    make: () => Promise<Folder>,
    topOf: (folder: Folder) => string,
  ): Promise<Folder> {
    this.#launches.add(launchId)
    for (let under = this.#removals.get(root); under; under = this.#removals.get(root))
      await under.catch(() => {})
    this.#entering.set(root, (this.#entering.get(root) ?? 0) + 1)
    try {
      const folder = await make()
      if (this.#launches.has(launchId))
        this.#folders.set(launchId, (this.#folders.get(launchId) ?? new Set()).add(topOf(folder)))
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
    this.#ending.delete(launchId)
  }

  /**
   * The launch leaves when `gone` settles: its process has exited, which the server is told now,
   * and what that started ends soon. A removal, asked for when no process is known, waits for it.
   */
  leaveAfter(launchId: string, gone: Promise<unknown>): void {
    const left = gone.then(
      () => this.leave(launchId),
      () => this.leave(launchId),
    )
    this.#ending.set(launchId, left)
  }

  isOccupied(top: string): boolean {
    return [...this.#folders.values()].some((folders) => folders.has(top))
  }

  /**
   * Runs a removal while no launch can enter, one at a time per root. `in_use`: a launch uses the
   * folder or is entering.
   */
  async remove<Result>(
    root: string,
    top: string,
    work: () => Promise<Result>,
  ): Promise<Result | 'in_use'> {
    const before = () => this.#removals.get(root) ?? this.#endOfUse(top)
    for (let first = before(); first; first = before()) await first.catch(() => {})
    if (this.#entering.has(root) || this.isOccupied(top)) return 'in_use'
    const removal = work()
    this.#removals.set(root, removal)
    try {
      return await removal
    } finally {
      this.#removals.delete(root)
    }
  }

  #endOfUse(top: string): Promise<unknown> | undefined {
    for (const [launchId, folders] of this.#folders)
      if (folders.has(top) && this.#ending.has(launchId)) return this.#ending.get(launchId)
    return undefined
  }
}
