/**
 * Queues the use cases of this node by stream before they take a connection. PostgreSQL's locks make decisions serial; the queues
 * keep one busy stream from filling the pool with waiting connections. Two use cases are admitted at a time: the second waits for
 * the lock while the first commits.
 */
import type { StreamName } from '../../domain/stream-name.ts'

const atATime = 2

export class StreamQueues {
  readonly #streams = new Map<StreamName, { taken: number; waiting: (() => void)[] }>()

  /** Waits for admission to each stream, always in the same order, so no deadlock is possible. */
  async take(streams: readonly StreamName[]): Promise<void> {
    for (const stream of streams) {
      const turns = this.#streams.get(stream) ?? { taken: 0, waiting: [] }
      this.#streams.set(stream, turns)
      if (turns.taken < atATime) turns.taken++
      else await new Promise<void>((resolve) => turns.waiting.push(resolve))
    }
  }

  /** Takes all streams if none of them is in use. */
  takeIfFree(streams: readonly StreamName[]): boolean {
    for (const stream of streams) if (this.#streams.has(stream)) return false
    for (const stream of streams) this.#streams.set(stream, { taken: 1, waiting: [] })
    return true
  }

  give(streams: readonly StreamName[]): void {
    for (const stream of streams) {
      const turns = this.#streams.get(stream)
      const next = turns?.waiting.shift()
      // Admits the use case that waited longest.
      if (next) next()
      else if (turns && --turns.taken === 0) this.#streams.delete(stream)
    }
  }
}
