/**
 * Looks where a doorbell says that something happened, and everywhere every few seconds, so a lost doorbell costs seconds and never
 * work. Places that ring again while they wait are looked at once. What a look does is decided behind locks, so any number of nodes
 * may look at once.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Store } from '../../store/store.ts'

/** A place and what it is called: of those of one name only the last is looked at. */
export type ScanTarget<Target> = readonly [name: string, target: Target]

export interface ChangeScannerOptions<Target> {
  readonly store: Pick<Store, 'doorbell'>
  readonly clock: Clock
  readonly logger: Logger
  /** Behind the doorbells. */
  readonly everyMs: number
  /** Rung for and not yet looked at; beyond it everything is looked at instead. */
  readonly maxWaiting: number
  readonly concurrency: number
  readonly all: Target
  /** What to look at when this stream has rung. */
  readonly targetsOf: (stream: StreamName) => Iterable<ScanTarget<Target>>
  readonly scan: (target: Target) => Promise<void>
  /** Said when a look fails; the next look at everything tries again. */
  readonly complaint: string
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

  /** Resolves when what was begun is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopBell?.()
    this.#cancel?.()
    this.#waiting.clear()
    await this.#running
  }

  /** Resolves when everything that is waiting now was looked at. */
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
    // Whoever rang is answered first.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.size > 0) {
      const some = [...this.#waiting].slice(0, this.#options.concurrency)
      for (const [name] of some) this.#waiting.delete(name)
      await Promise.all(some.map(([, target]) => this.#scan(target)))
    }
    // In the same breath as the last look at who waits: a ring between the two would begin nothing.
    this.#running = undefined
  }

  async #scan(target: Target): Promise<void> {
    const { scan, logger, complaint } = this.#options
    try {
      await scan(target)
    } catch (error) {
      if (!this.#stopped) logger.warn({ error: String(error) }, `${complaint}; trying again`)
    }
  }
}
