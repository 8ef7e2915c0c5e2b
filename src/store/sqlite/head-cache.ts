/**
 * Caches the heads of recently written streams, so that a use case need not read them: only this connection moves them. Cleared on
 * every rollback; a wrong head would be refused by the key of the events.
 */
import type { StreamName } from '../../domain/stream-name.ts'

const maxKnown = 10_000

export class HeadCache {
  readonly #heads = new Map<StreamName, number>()
  #unfinished = false

  of(stream: StreamName): number | undefined {
    return this.#heads.get(stream)
  }

  moved(stream: StreamName, head: number): void {
    if (this.#heads.size >= maxKnown) this.#heads.clear()
    this.#heads.set(stream, head)
  }

  before(command: string): void {
    const begins = command.startsWith('begin')
    // SQLite itself rolls back a transaction that met a full disk, without a command.
    if (command.startsWith('rollback') || (begins && this.#unfinished)) this.#heads.clear()
    if (begins) this.#unfinished = true
  }

  committed(): void {
    this.#unfinished = false
  }
}
