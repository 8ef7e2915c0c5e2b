/**
 * The writer: a thread that owns the one writing connection. Use cases run here one after the other, a savepoint each, up to
 * `maxBatch` for one COMMIT with one fsync; each is answered only after that COMMIT. The server's event loop stays free.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { Refusal } from '../../domain/errors.ts'
import type { StreamName } from '../../domain/stream/name.ts'
import { randomness } from '../../platform/randomness.ts'
import { migrate } from '../migrate.ts'
import { maxRuns, type Outcome, runUseCase } from '../run-use-case.ts'
import type { UseCase } from '../store.ts'
import { SqliteConnection } from './connection.ts'
import { isDiskFull, isEngineFailure, isUniqueViolation } from './failures.ts'
import type { WriterReply, WriterRequest, WriterResult, WriterStart } from './writer-messages.ts'

/** Use cases that share one fsync. More would let one wait long for its neighbours; 128 already costs 1 % of an fsync each. */
const maxBatch = 128

// biome-ignore lint/suspicious/noExplicitAny: each use case has an input of its own; its name is what matches them
type UseCases = Readonly<Record<string, UseCase<any, unknown>>>

class Writer {
  readonly #connection: SqliteConnection
  readonly #useCases: UseCases
  readonly #port: MessagePort
  #waiting: WriterRequest[] = []
  #busy = false
  #closing = false
  #broken: string | null = null
  #retried = 0

  constructor(port: MessagePort, connection: SqliteConnection, useCases: UseCases) {
    this.#port = port
    this.#connection = connection
    this.#useCases = useCases
  }

  receive(message: WriterRequest[] | 'close'): void {
    if (message === 'close') this.#closing = true
    else this.#waiting.push(...message)
    if (!this.#busy) void this.#work()
  }

  async #work(): Promise<void> {
    this.#busy = true
    while (this.#waiting.length > 0) await this.#commitBatch()
    this.#busy = false
    if (this.#closing) this.#close()
  }

  async #commitBatch(): Promise<void> {
    const done: WriterResult[] = []
    const heads = new Map<StreamName, number>()
    const accepted: WriterRequest[] = []
    this.#retried = 0
    try {
      if (this.#broken) throw new Refusal('store_unavailable', this.#broken)
      this.#connection.command('begin immediate')
      for (let request = this.#next(); request; request = accepted.length < maxBatch ? this.#next() : undefined) {
        accepted.push(request)
        done.push(await this.#runOne(request, heads))
      }
      this.#connection.command('commit')
    } catch (error) {
      // Nothing of this batch is in the database, so none of it is acknowledged.
      const refused = this.#refuseAll(accepted, error)
      this.#reply({ type: 'done', results: refused, heads: new Map(), retried: this.#retried, broken: this.#broken })
      return
    }
    this.#reply({ type: 'done', results: done, heads, retried: this.#retried, broken: null })
  }

  /** The oldest request; what arrived while the batch was running joins it. */
  #next(): WriterRequest | undefined {
    if (this.#waiting.length === 0) {
      const message = receiveMessageOnPort(this.#port)?.message as WriterRequest[] | 'close' | undefined
      if (message === 'close') this.#closing = true
      else if (message) this.#waiting.push(...message)
    }
    return this.#waiting.shift()
  }

  async #runOne(request: WriterRequest, heads: Map<StreamName, number>): Promise<WriterResult> {
    const { id } = request
    const useCase = this.#useCases[request.useCase]
    if (!useCase) return { id, fault: `There is no use case ${request.useCase}` }
    for (let run = 1; run <= maxRuns; run++) {
      this.#connection.command('savepoint one')
      try {
        const outcome: Outcome<unknown> = await runUseCase(this.#connection, useCase, request, randomness)
        this.#connection.command('release one')
        for (const [stream, head] of outcome.heads) heads.set(stream, head)
        return { id, answer: outcome.answer }
      } catch (error) {
        if (!this.#connection.inTransaction || isDiskFull(error) || isEngineFailure(error)) throw error
        this.#connection.command('rollback to one')
        this.#connection.command('release one')
        if (error instanceof Refusal) {
          return { id, refusal: { code: error.code, detail: error.message, fields: error.fields } }
        }
        if (!isUniqueViolation(error)) return { id, fault: error instanceof Error ? String(error.stack) : String(error) }
        this.#retried++
      }
    }
    return { id, refusal: { code: 'busy', detail: `${request.useCase} met another writer ${maxRuns} times`, fields: {} } }
  }

  #refuseAll(accepted: WriterRequest[], error: unknown): WriterResult[] {
    if (this.#connection.inTransaction) {
      try {
        this.#connection.command('rollback')
      } catch (rollbackError) {
        this.#broken = `The database could not be rolled back (${String(rollbackError)})`
      }
    }
    if (!(error instanceof Refusal) && !isDiskFull(error)) {
      // After a failed write or sync the page cache may hold what the disk does not: only a restart reads the truth again.
      this.#broken ??= `The database failed (${String(error)}); it is not written any more until the server is started again`
    }
    const detail = this.#broken ?? (isDiskFull(error) ? 'The disk is full' : String(error))
    const refused = [...accepted, ...this.#waiting.splice(0)]
    return refused.map(({ id }) => ({ id, refusal: { code: 'store_unavailable', detail, fields: {} } }))
  }

  #close(): void {
    this.#connection.close()
    this.#reply({ type: 'closed' })
    this.#port.close()
  }

  #reply(reply: WriterReply): void {
    this.#port.postMessage(reply)
  }
}

/** What a writer thread's entry calls (src/compose/writer.ts): the store knows no use case by itself. */
export async function serveWriter(useCases: UseCases): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('The writer runs in a thread of its own')
  const { file, now } = workerData as WriterStart
  try {
    const connection = SqliteConnection.openWriter(file)
    const identity = await migrate(connection, now, randomness.uuid)
    const writer = new Writer(port, connection, useCases)
    port.on('message', (message) => writer.receive(message))
    port.postMessage({ type: 'opened', identity } satisfies WriterReply)
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : null
    port.postMessage({ type: 'open-failed', name, message, errcode } satisfies WriterReply)
    port.close()
  }
}
