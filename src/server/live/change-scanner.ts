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
export type ScanTarget<Place> = readonly [name: string, place: Place]

export interface ChangeScannerOptions<Place> {
  readonly store: Pick<Store, 'doorbell'>
  readonly clock: Clock
  readonly logger: Logger
  /** Behind the doorbells. */
  readonly everyMs: number
  /** Rung for and not yet looked at; beyond it everything is looked at instead. */
  readonly maxWaiting: number
  readonly lookedAtTogether: number
  readonly everywhere: Place
  /** What to look at when this stream has rung. */
  readonly placesOf: (stream: StreamName) => Iterable<ScanTarget<Place>>
  readonly lookAt: (place: Place) => Promise<void>
  /** Said when a look fails; the next look at everything tries again. */
  readonly complaint: string
}

export class ChangeScanner<Place> {
  readonly #parts: ChangeScannerOptions<Place>
  readonly #waiting = new Map<string, Place>()
  #running: Promise<void> | undefined
  #stopBell: (() => void) | undefined
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(parts: ChangeScannerOptions<Place>) {
    this.#parts = parts
  }

  start(): void {
    const { store, placesOf } = this.#parts
    this.#stopBell = store.doorbell.onAny((stream) => {
      for (const [name, place] of placesOf(stream)) this.#look(name, place)
    })
    this.#keepLooking()
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

  lookEverywhere(): void {
    this.#look('', this.#parts.everywhere)
  }

  #keepLooking(): void {
    this.lookEverywhere()
    this.#cancel = this.#parts.clock.after(this.#parts.everyMs, () => this.#keepLooking())
  }

  #look(name: string, place: Place): void {
    if (this.#stopped) return
    if (this.#waiting.size < this.#parts.maxWaiting) this.#waiting.set(name, place)
    else {
      this.#waiting.clear()
      this.#waiting.set('', this.#parts.everywhere)
    }
    this.#running ??= this.#lookAtWaiting()
  }

  async #lookAtWaiting(): Promise<void> {
    // Whoever rang is answered first.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.size > 0) {
      const some = [...this.#waiting].slice(0, this.#parts.lookedAtTogether)
      for (const [name] of some) this.#waiting.delete(name)
      await Promise.all(some.map(([, place]) => this.#lookAt(place)))
    }
    // In the same breath as the last look at who waits: a ring between the two would begin nothing.
    this.#running = undefined
  }

  async #lookAt(place: Place): Promise<void> {
    const { lookAt, logger, complaint } = this.#parts
    try {
      await lookAt(place)
    } catch (error) {
      if (!this.#stopped) logger.warn({ error: String(error) }, `${complaint}; trying again`)
    }
  }
}
