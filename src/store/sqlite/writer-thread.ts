/**
 * The writer: a thread that owns the only writing connection. It runs use cases one after the
 * other, up to `maxBatch` for one COMMIT with one fsync, and answers each after that COMMIT. The
 * server's event loop stays free. This thread has no event loop: a use case awaits only its `tx`,
 * which answers synchronously.
 */

import { dirname } from 'node:path'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Refusal } from '../../domain/errors.ts'
import type { Detail } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { syncFolder } from '../../platform/files/atomic-file.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import { maxRuns, runUseCase } from '../log/run-use-case.ts'
import { eraseDeletedData, migrate } from '../migrate.ts'
import type { UseCases } from '../store.ts'
import { SqliteConnection } from './connection.ts'
import { isDiskFull, isEngineFailure, isLockedByOther, isUniqueViolation } from './failures.ts'
import { Mailbox } from './mailbox.ts'
import type { WriterReply, WriterRequest, WriterResult, WriterStart } from './writer-messages.ts'

/**
 * The most use cases that share one fsync. More would delay the first; at 128 the fsync already
 * costs 1 % each.
 */
const maxBatch = 128
/** Removes free pages from the file and empties the log. */
const compactCommands = ['vacuum', 'pragma wal_checkpoint(truncate)']

class Writer {
  readonly #connection: SqliteConnection
  readonly #useCases: UseCases
  readonly #mailbox: Mailbox
  readonly #reply: (reply: WriterReply) => void
  #waiting: WriterRequest[] = []
  #closing = false
  #broken: Detail | null = null
  #retried = 0

  constructor(
    connection: SqliteConnection,
    useCases: UseCases,
    mailbox: Mailbox,
    reply: (reply: WriterReply) => void,
  ) {
    this.#connection = connection
    this.#useCases = useCases
    this.#mailbox = mailbox
    this.#reply = reply
  }

  async serve(): Promise<void> {
    for (;;) {
      this.#receive()
      if (this.#waiting.length > 0) {
        await this.#commitBatch()
        this.#connection.limitWalSize()
      } else if (this.#closing) return this.#connection.close()
      else this.#mailbox.wait()
    }
  }

  #receive(): void {
    for (let message = this.#mailbox.take(); message; message = this.#mailbox.take()) {
      if (message === 'close') this.#closing = true
      else this.#waiting.push(...message)
    }
  }

  async #commitBatch(): Promise<void> {
    const batch: WriterRequest[] = []
    const heads = new Map<StreamName, number>()
    this.#retried = 0
    try {
      if (this.#broken) throw new Refusal('store_unavailable', this.#broken)
      const results =
        (await this.#runTogether(batch, heads)) ?? (await this.#runApart(batch, heads))
      this.#connection.command('commit')
      this.#reply({
        type: 'done',
        results,
        heads: [...heads],
        retried: this.#retried,
        failure: null,
        broken: false,
      })
    } catch (error) {
      // Nothing of this batch was written, so none of it is acknowledged.
      const failure = this.#rollBack(error)
      const refused = [...batch, ...this.#waiting.splice(0)]
      const results = refused.map(() => resultOf(new Refusal('store_unavailable', failure)))
      this.#reply({
        type: 'done',
        results,
        heads: [],
        retried: this.#retried,
        failure,
        broken: this.#broken !== null,
      })
    }
  }

  /**
   * Runs a batch without savepoints, which would cost as much as a small write. When a use case
   * fails after it has written, rolls the whole batch back and returns undefined; it must be run
   * apart.
   */
  async #runTogether(
    batch: WriterRequest[],
    heads: Map<StreamName, number>,
  ): Promise<WriterResult[] | undefined> {
    const results: WriterResult[] = []
    this.#connection.command('begin immediate')
    for (
      let request = this.#next();
      request;
      request = batch.length < maxBatch ? this.#next() : undefined
    ) {
      batch.push(request)
      const before = this.#connection.writes
      try {
        results.push(await this.#runOne(request, heads))
      } catch (error) {
        this.#throwIfBroken(error)
        if (this.#connection.writes !== before) {
          this.#connection.command('rollback')
          heads.clear()
          return undefined
        }
        results.push(resultOf(error))
      }
    }
    return results
  }

  /** Runs each use case in its own savepoint, so that a failure does not affect the others. */
  async #runApart(
    batch: readonly WriterRequest[],
    heads: Map<StreamName, number>,
  ): Promise<WriterResult[]> {
    const results: WriterResult[] = []
    this.#connection.command('begin immediate')
    for (const request of batch) results.push(await this.#runUntilUnique(request, heads))
    return results
  }

  async #runUntilUnique(
    request: WriterRequest,
    heads: Map<StreamName, number>,
  ): Promise<WriterResult> {
    for (let run = 1; run <= maxRuns; run++) {
      this.#connection.command('savepoint one')
      try {
        const result = await this.#runOne(request, heads)
        this.#connection.command('release one')
        return result
      } catch (error) {
        this.#throwIfBroken(error)
        this.#connection.command('rollback to one')
        this.#connection.command('release one')
        if (!isUniqueViolation(error)) return resultOf(error)
        this.#retried++
      }
    }
    return resultOf(
      new Refusal('busy', refusalText('metOthers', { what: request.useCase, count: maxRuns })),
    )
  }

  async #runOne(request: WriterRequest, heads: Map<StreamName, number>): Promise<WriterResult> {
    const useCase = this.#useCases[request.useCase]
    if (!useCase) throw new Error(`There is no use case ${request.useCase}`)
    const outcome = await runUseCase(this.#connection, useCase, request)
    for (const [stream, head] of outcome.heads) heads.set(stream, head)
    return { answer: outcome.answer }
  }

  /** The oldest request, including those that arrived while the batch was running. */
  #next(): WriterRequest | undefined {
    if (this.#waiting.length === 0) this.#receive()
    return this.#waiting.shift()
  }

  #throwIfBroken(error: unknown): void {
    if (
      !this.#connection.inTransaction ||
      isDiskFull(error) ||
      isLockedByOther(error) ||
      isEngineFailure(error)
    )
      throw error
  }

  /** Rolls back and returns why nothing was written. */
  #rollBack(error: unknown): Detail {
    if (this.#connection.inTransaction) {
      try {
        this.#connection.command('rollback')
      } catch (rollbackError) {
        this.#broken = refusalText('notRolledBack', { why: String(rollbackError) })
      }
    }
    if (isLockedByOther(error)) return this.#broken ?? refusalText('storeLocked')
    if (!(error instanceof Refusal) && !isDiskFull(error)) {
      // After a failed write or sync the page cache may differ from the disk; only a restart is
      // safe.
      this.#broken ??= refusalText('storeFailed', { why: String(error) })
    }
    return this.#broken ?? refusalText('diskFull')
  }
}

function resultOf(error: unknown): WriterResult {
  if (error instanceof Refusal)
    return { refusal: { code: error.code, detail: error.detail, fields: error.fields } }
  return { fault: error instanceof Error ? String(error.stack) : String(error) }
}

/** Serves requests in a writer thread. Its entry (src/compose/writer.ts) passes the use cases. */
export async function serveWriter(
  useCases: UseCases,
  port: MessagePort | null = parentPort,
  { file, now, posted }: WriterStart = workerData,
): Promise<void> {
  if (!port) throw new Error('The writer runs in a thread of its own')
  const reply = (message: WriterReply): void => port.postMessage(JSON.stringify(message))
  const connection = await open(file, now, reply)
  if (connection) await new Writer(connection, useCases, new Mailbox(port, posted), reply).serve()
  port.close()
}

async function open(
  file: string,
  now: string,
  reply: (reply: WriterReply) => void,
): Promise<SqliteConnection | undefined> {
  try {
    const connection = SqliteConnection.openWriter(file)
    const identity = await migrate(connection, now, randomness.uuid)
    await eraseDeletedData(connection, compactCommands)
    // SQLite also does this, but ignores a failure; a power cut could then lose the whole log
    // (RE3).
    await syncFolder(dirname(file))
    reply({ type: 'opened', identity })
    return connection
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : null
    reply({ type: 'open-failed', name, message, errcode })
    return undefined
  }
}
