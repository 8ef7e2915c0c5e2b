/**
 * Turns on this node: use cases about the same stream queue here, in the order they came, before they take a connection.
 * Only PostgreSQL's own locks make decisions serial; this keeps one busy stream from filling the pool with connections that
 * wait for each other. Two are let in at a time: the second asks PostgreSQL for the lock while the first commits.
 */
import type { StreamName } from '../../domain/stream-name.ts'

const atATime = 2

interface StreamQueue {
  taken: number
  readonly waiting: (() => void)[]
}

export class StreamQueues {
  readonly #streams = new Map<StreamName, StreamQueue>()

  /** Waits for a turn on each stream, in the order given; always the same order, so nobody waits in a circle. */
  async take(streams: readonly StreamName[]): Promise<void> {
    for (const stream of streams) {
      const turns = this.#streams.get(stream) ?? { taken: 0, waiting: [] }
      this.#streams.set(stream, turns)
      if (turns.taken < atATime) turns.taken++
      else await new Promise<void>((resolve) => turns.waiting.push(resolve))
    }
  }

  /** Takes a turn on each when nobody has one on any of them. */
  takeIfFree(streams: readonly StreamName[]): boolean {
    for (const stream of streams) if (this.#streams.has(stream)) return false
    for (const stream of streams) this.#streams.set(stream, { taken: 1, waiting: [] })
    return true
  }

  give(streams: readonly StreamName[]): void {
    for (const stream of streams) {
      const turns = this.#streams.get(stream)
      const next = turns?.waiting.shift()
      // The turn goes straight to whoever waited longest.
      if (next) next()
      else if (turns && --turns.taken === 0) this.#streams.delete(stream)
    }
  }
}
