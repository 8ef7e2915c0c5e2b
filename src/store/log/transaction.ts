/**
 * The `tx` of a use case. Reads and writes go to the engine; events are numbered in memory from the locked heads and written when
 * the use case has ended. So numbers are known inside the use case, and a rollback leaves no gap.
 */
import type { Instant } from '../../domain/instant.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import type { NewEvent } from '../../protocol/events.ts'
import type { WritingEngine } from '../engine.ts'
import type { Tables } from '../schema/tables.ts'
import { bind, type Statement } from '../statement.ts'
import type { Tx } from '../store.ts'
import { EngineReader } from './reader.ts'

export class Transaction extends EngineReader implements Tx {
  readonly #writing: WritingEngine
  readonly #now: Instant
  readonly #heads: Map<StreamName, number>
  readonly #moved = new Map<StreamName, number>()
  #events: Tables['events'][] = []

  constructor(engine: WritingEngine, now: Instant, heads: Map<StreamName, number>) {
    super(engine)
    this.#writing = engine
    this.#now = now
    this.#heads = heads
  }

  async write<Params>(statement: Statement<Params, unknown>, params: Params): Promise<void> {
    const sent = this.#writing.write(bind(this.#writing.dialect, statement, params))
    if (sent) await sent
  }

  append(stream: StreamName, made: NewEvent | ((seq: number) => NewEvent), also: readonly StreamName[] = []): number {
    const seq = this.#next(stream)
    const event = typeof made === 'function' ? made(seq) : made
    const data = JSON.stringify(event.data)
    this.#events.push({ stream, seq, type: event.type, at: this.#now, data, ref_stream: null, ref_seq: null })
    for (const copy of also) {
      this.#events.push({
        stream: copy,
        seq: this.#next(copy),
        type: event.type,
        at: this.#now,
        data: null,
        ref_stream: stream,
        ref_seq: seq,
      })
    }
    return seq
  }

  begin(stream: StreamName): void {
    if (this.#heads.has(stream)) throw new Error(`${stream} has begun already`)
    // A new stream has a new name. If it existed after all, its first event would violate the key.
    this.#heads.set(stream, 0)
  }

  /** Writes the appended events. */
  flush(): void | Promise<void> {
    const events = this.#events
    this.#events = []
    if (events.length > 0) return this.#writing.append(events, this.#moved)
  }

  /** The new heads of the streams that moved. */
  get moved(): ReadonlyMap<StreamName, number> {
    return this.#moved
  }

  #next(stream: StreamName): number {
    const head = this.#moved.get(stream) ?? this.#heads.get(stream)
    // A programming error: without the lock two transactions could assign the same number.
    if (head === undefined) throw new Error(`The use case appends to ${stream} but did not name it in streams()`)
    this.#moved.set(stream, head + 1)
    return head + 1
  }
}
