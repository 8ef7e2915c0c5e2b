/**
 * The heads of the streams that were written last, so that a use case need not ask the database for them: only this connection
 * moves them. Forgotten whenever anything may have been taken back; were one wrong after all, the event's key would refuse it.
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
    // A transaction that met a full disk is taken back by SQLite itself: then no command says so.
    if (command.startsWith('rollback') || (begins && this.#unfinished)) this.#heads.clear()
    if (begins) this.#unfinished = true
  }

  committed(): void {
    this.#unfinished = false
  }
}
