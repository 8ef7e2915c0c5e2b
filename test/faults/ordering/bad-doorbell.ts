/**
 * A store whose doorbell cannot be trusted: rings are dropped, doubled, held back and let go in
 * another order. Behind it stands the poll that stands behind every doorbell that can lose
 * something, so that a lost ring costs time and nothing else.
 */
import type { StreamName } from '../../../src/domain/stream-name.ts'
import type { Doorbell, Store } from '../../../src/store/store.ts'
import type { Chance } from '../random.ts'

const pollMs = 500
const maxHeld = 20

type Listener = (head: number) => void

export class BadDoorbell implements Doorbell {
  readonly #store: Store
  readonly #dice: Chance
  readonly #listeners = new Map<StreamName, Set<Listener>>()
  readonly #timer: NodeJS.Timeout | undefined
  #held: (() => void)[] = []

  constructor(store: Store, dice: Chance, poll: boolean) {
    this.#store = store
    this.#dice = dice
    if (poll) this.#timer = setInterval(() => void this.#poll(), pollMs)
  }

  on(stream: StreamName, listener: Listener): () => void {
    const listeners = this.#listeners.get(stream) ?? new Set()
    this.#listeners.set(stream, listeners.add(listener))
    const stop = this.#store.doorbell.on(stream, (head) =>
      this.#mishandle(() => listeners.has(listener) && listener(head)),
    )
    return () => {
      listeners.delete(listener)
      stop()
    }
  }

  onAny(): never {
    throw new Error('No reader of this test waits for any stream')
  }

  sendSignal(word: string, at: number): void {
    this.#store.doorbell.sendSignal(word, at)
  }

  onSignal(word: string, listener: Listener): () => void {
    return this.#store.doorbell.onSignal(word, listener)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#held = []
  }

  #mishandle(ring: () => void): void {
    const fate = this.#dice.below(10)
    if (fate < 3) return
    if (fate < 6) this.#held.push(ring)
    else ring()
    if (fate === 9) ring()
    if (this.#held.length >= 1 + this.#dice.below(maxHeld))
      for (const late of this.#dice.shuffled(this.#held.splice(0))) late()
  }

  async #poll(): Promise<void> {
    const streams = [...this.#listeners].flatMap(([stream, listeners]) =>
      listeners.size > 0 ? [stream] : [],
    )
    const positions = await this.#store.positions(streams)
    for (const [index, stream] of streams.entries()) {
      for (const listener of [...(this.#listeners.get(stream) ?? [])])
        listener(positions[index]?.head ?? 0)
    }
  }
}

/** The store with another doorbell; everything else is its own. */
export const withDoorbell = (store: Store, doorbell: Doorbell): Store => ({
  id: store.id,
  incarnation: store.incarnation,
  inOrder: store.inOrder,
  doorbell,
  run: (useCase, input, receipt) => store.run(useCase, input, receipt),
  read: (work) => store.read(work),
  query: (query, input) => store.query(query, input),
  eventsAfter: (stream, after, limit) => store.eventsAfter(stream, after, limit),
  positions: (streams) => store.positions(streams),
  streamsAfter: (after, limit) => store.streamsAfter(after, limit),
  check: () => store.check(),
  figures: () => store.figures(),
  close: () => store.close(),
})
