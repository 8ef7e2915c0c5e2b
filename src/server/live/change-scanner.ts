/**
 * Scans a target when a doorbell says that something changed there, and all targets every few seconds, so a lost doorbell costs
 * seconds and never work. A target that rings repeatedly while it waits is scanned once. Scans decide under locks, so several
 * nodes may scan at once.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Store } from '../../store/store.ts'

/** A target and its name; of several waiting targets with one name only the last is scanned. */
export type ScanTarget<Target> = readonly [name: string, target: Target]

export interface ChangeScannerOptions<Target> {
  readonly store: Pick<Store, 'doorbell'>
  readonly clock: Clock
  readonly logger: Logger
  /** Interval of the scan of all targets. */
  readonly everyMs: number
  /** Upper bound of waiting targets; beyond it all targets are scanned instead. */
  readonly maxWaiting: number
  readonly concurrency: number
  readonly all: Target
  /** Returns the targets to scan when a stream has rung. */
  readonly targetsOf: (stream: StreamName) => Iterable<ScanTarget<Target>>
  readonly scan: (target: Target) => Promise<void>
  /** Log line for a failed scan; the next scan of all targets retries. */
  readonly failureText: string
}

export class ChangeScanner<Target> {
  readonly #options: ChangeScannerOptions<Target>
  readonly #waiting = new Map<string, Target>()
  #running: Promise<void> | undefined
  #stopBell: (() => void) | undefined
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(options: ChangeScannerOptions<Target>) {
    this.#options = options
  }

  start(): void {
    const { store, targetsOf } = this.#options
    this.#stopBell = store.doorbell.onAny((stream) => {
      for (const [name, target] of targetsOf(stream)) this.#enqueue(name, target)
    })
    this.#scanPeriodically()
  }

  /** Resolves when running scans have finished. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopBell?.()
    this.#cancel?.()
    this.#waiting.clear()
    await this.#running
  }

  /** Resolves when nothing waits to be scanned. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  scanAll(): void {
    this.#enqueue('', this.#options.all)
  }

  #scanPeriodically(): void {
    this.scanAll()
    this.#cancel = this.#options.clock.after(this.#options.everyMs, () => this.#scanPeriodically())
  }

  #enqueue(name: string, target: Target): void {
    if (this.#stopped) return
    if (this.#waiting.size < this.#options.maxWaiting) this.#waiting.set(name, target)
    else {
      this.#waiting.clear()
      this.#waiting.set('', this.#options.all)
    }
    this.#running ??= this.#scanWaiting()
  }

  async #scanWaiting(): Promise<void> {
    // Lets the committing caller be answered first.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.size > 0) {
      const some = [...this.#waiting].slice(0, this.#options.concurrency)
      for (const [name] of some) this.#waiting.delete(name)
      await Promise.all(some.map(([, target]) => this.#scan(target)))
    }
    // Synchronously after the last check for waiting targets, so that no ring in between is lost.
    this.#running = undefined
  }

  async #scan(target: Target): Promise<void> {
    const { scan, logger, failureText } = this.#options
    try {
      await scan(target)
    } catch (error) {
      if (!this.#stopped) logger.warn({ error: String(error) }, `${failureText}; trying again`)
    }
  }
}
