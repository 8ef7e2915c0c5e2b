/** Completes rewinds, forks and file states after a crash (FS7-FS9) every second; lets go of old states (FS10) every hour. */
import { Refusal } from '../domain/errors.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { FileOperations } from '../server/worktrees/file-operations.ts'
import type { PeriodicJob } from './periodic-job.ts'

const everyMs = 1000
const collectEveryMs = 3_600_000
/** After a start, so that servers of short lives collect too. */
const firstCollectMs = 60_000

export interface FileStateJobOptions {
  readonly fileOperations: FileOperations
  readonly clock: Clock
  readonly logger: Logger
}

export class FileStateJob implements PeriodicJob {
  readonly everyMs = everyMs
  readonly failureText = 'interrupted rewinds and forks could not be completed'
  readonly #options: FileStateJobOptions
  #collectAt: number

  constructor(options: FileStateJobOptions) {
    this.#options = options
    this.#collectAt = options.clock.now() + firstCollectMs
  }

  async run(): Promise<void> {
    const { fileOperations, clock, logger } = this.#options
    const onTrouble = (about: object, error: unknown): void => {
      // A machine that is away is asked again.
      if (!(error instanceof Refusal))
        logger.warn(
          { ...about, error: String(error) },
          'file state of a turn could not be completed',
        )
    }
    await fileOperations.completeOpen(onTrouble)
    if (clock.now() < this.#collectAt) return
    this.#collectAt = clock.now() + collectEveryMs
    await fileOperations.collect(onTrouble)
  }
}
