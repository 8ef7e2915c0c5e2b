/**
 * Removes worktrees unused for `worktree.remove_after_days` of their project (WT3), without confirming any loss: the machine
 * refuses while something would be lost, the worktree is in use, or git refuses; then it stays and is checked again. Runs once
 * an hour over one page of worktrees.
 */
import { systemId } from '../domain/access/caller.ts'
import { Refusal } from '../domain/errors.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Worktrees } from '../server/worktrees/worktrees.ts'
import { findUnusedWorktrees } from '../services/worktrees/queries.ts'
import type { Store } from '../store/store.ts'
import { logFailure, type PeriodicJob } from './periodic-job.ts'

const everyMs = 3_600_000
/** Upper bound per run; each is a request to a machine. */
const maxPerRun = 50

const system = { id: systemId, scopes: ['manage'] } as const

export interface WorktreeRemoverOptions {
  readonly store: Store
  readonly logger: Logger
  readonly worktrees: Pick<Worktrees, 'remove'>
}

export class WorktreeRemover implements PeriodicJob {
  readonly everyMs = everyMs
  readonly failureText = 'old worktrees could not be removed'
  readonly waitsFirst = true
  readonly #options: WorktreeRemoverOptions
  /** Position of the next run, so that worktrees that stay do not hide the others. */
  #after = ''
  #hurries = false

  constructor(options: WorktreeRemoverOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    const { store, logger } = this.#options
    const { due, after } = await store.query(findUnusedWorktrees, { after: this.#after })
    this.#after = due.length > maxPerRun ? (due[maxPerRun - 1]?.worktreeId ?? '') : (after ?? '')
    for (const which of due.slice(0, maxPerRun)) {
      if (this.#hurries) return
      await logFailure(logger, 'A worktree could not be removed', which, () => this.#remove(which))
    }
  }

  finishEarly(): void {
    this.#hurries = true
  }

  async #remove(which: { worktreeId: string; projectId: string }): Promise<void> {
    try {
      await this.#options.worktrees.remove(system, which, null)
    } catch (error) {
      // A worktree with unsaved work, in use, or on an unreachable machine stays.
      if (!(error instanceof Refusal)) throw error
    }
  }
}
