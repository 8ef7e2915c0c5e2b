/**
 * WT3: removes worktrees that were not used for as long as their project says (`worktree.remove_after_days`), as a person would who confirms
 * nothing: the machine that has one refuses while something in it would be lost, somebody works in it, or git does not want to. Then it
 * stays, and is looked at again. Looks once an hour, at a page; so many are removed at most.
 */
import { systemId } from '../domain/access/who.ts'
import { Refusal } from '../domain/errors.ts'
import type { Logger } from '../platform/logger.ts'
import type { Worktrees } from '../server/worktrees/worktrees.ts'
import { findUnusedWorktrees } from '../services/worktrees/queries.ts'
import type { Store } from '../store/store.ts'
import { byItself, type PeriodicJob } from './periodic-job.ts'

const everyMs = 3_600_000
/** Each is a question to a machine. */
const mostAtOnce = 50

const system = { id: systemId, scopes: ['manage'] } as const

export interface WorktreeRemoverOptions {
  readonly store: Store
  readonly logger: Logger
  readonly worktrees: Pick<Worktrees, 'remove'>
}

export class WorktreeRemover implements PeriodicJob {
  readonly everyMs = everyMs
  readonly complaint = 'Worktrees could not be looked at'
  readonly restsFirst = true
  readonly #options: WorktreeRemoverOptions
  /** Where the next round goes on, so that those that stay do not hide the others. */
  #after = ''
  #hurries = false

  constructor(options: WorktreeRemoverOptions) {
    this.#options = options
  }

  async round(): Promise<void> {
    const { store, logger } = this.#options
    const { due, after } = await store.query(findUnusedWorktrees, { after: this.#after })
    this.#after = due.length > mostAtOnce ? (due[mostAtOnce - 1]?.worktreeId ?? '') : (after ?? '')
    for (const which of due.slice(0, mostAtOnce)) {
      if (this.#hurries) return
      await byItself(logger, 'A worktree could not be removed', which, () => this.#remove(which))
    }
  }

  hurry(): void {
    this.#hurries = true
  }

  async #remove(which: { worktreeId: string; projectId: string }): Promise<void> {
    try {
      await this.#options.worktrees.remove(system, which, null)
    } catch (error) {
      // It holds something, is used, or its machine is away: it stays.
      if (!(error instanceof Refusal)) throw error
    }
  }
}
