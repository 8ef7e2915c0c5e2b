/** The server's side of the writer thread: hands requests over, once per turn of the event loop, and matches the answers. */
import { Worker } from 'node:worker_threads'
import { Refusal } from '../../domain/errors.ts'
import type { StreamName } from '../../domain/stream/name.ts'
import type { Identity } from '../migrate.ts'
import type { Job } from '../run-use-case.ts'
import type { WriterReply, WriterRequest, WriterResult, WriterStart } from './writer-messages.ts'

/** Use cases accepted and not yet answered; past this a caller is told `busy` instead of growing the queue. */
const maxWaiting = 20_000

interface Waiter {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** The database could not be opened; `errcode` is SQLite's own number where there is one. */
export class OpenFailed extends Error {
  readonly errcode: number | null
  constructor(name: string, message: string, errcode: number | null) {
    super(message)
    this.name = name
    this.errcode = errcode
  }
}

export class SqliteWriter {
  readonly figures = { commits: 0, useCases: 0, refused: 0, retried: 0 }
  readonly #worker: Worker
  readonly #ring: (heads: ReadonlyMap<StreamName, number>) => void
  readonly #waiters = new Map<number, Waiter>()
  #outbox: WriterRequest[] = []
  #lastId = 0
  #broken: string | null = null
  #closed: Promise<void> | undefined
  #opened!: { resolve(identity: Identity): void; reject(error: Error): void }
  #onClosed: () => void = () => {}
  readonly opened: Promise<Identity>

  constructor(start: WriterStart, threadUrl: URL, ring: (heads: ReadonlyMap<StreamName, number>) => void) {
    this.#ring = ring
    this.opened = new Promise((resolve, reject) => {
      this.#opened = { resolve, reject }
    })
    this.#worker = new Worker(threadUrl, { workerData: start })
    this.#worker.on('message', (reply: WriterReply) => this.#receive(reply))
    this.#worker.on('error', (error) => this.#lose(`The writer thread failed (${String(error)})`))
    this.#worker.on('exit', () => {
      this.#lose('The writer thread has ended')
      this.#onClosed()
    })
  }

  get waiting(): number {
    return this.#waiters.size
  }

  /** Why nothing is written any more, if so. */
  get broken(): string | null {
    return this.#broken
  }

  run(useCase: string, job: Job<unknown>): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Refusal('shutting_down'))
    if (this.#broken) return Promise.reject(new Refusal('store_unavailable', this.#broken))
    if (this.#waiters.size >= maxWaiting) return Promise.reject(new Refusal('busy'))
    const id = ++this.#lastId
    if (this.#outbox.length === 0) queueMicrotask(() => this.#worker.postMessage(this.#outbox.splice(0)))
    this.#outbox.push({ id, useCase, ...job })
    return new Promise((resolve, reject) => this.#waiters.set(id, { resolve, reject }))
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#onClosed = resolve
      // Behind everything already accepted: the thread finishes that first.
      queueMicrotask(() => this.#worker.postMessage('close'))
    })
    return this.#closed
  }

  #receive(reply: WriterReply): void {
    switch (reply.type) {
      case 'opened':
        return this.#opened.resolve(reply.identity)
      case 'open-failed':
        return this.#opened.reject(new OpenFailed(reply.name, reply.message, reply.errcode))
      case 'done': {
        this.#broken ??= reply.broken
        this.figures.commits++
        this.figures.retried += reply.retried
        for (const result of reply.results) this.#answer(result)
        if (reply.heads.size > 0) this.#ring(reply.heads)
        return
      }
      case 'closed':
        return
    }
  }

  #answer(result: WriterResult): void {
    const waiter = this.#waiters.get(result.id)
    this.#waiters.delete(result.id)
    if (!waiter) return
    if ('answer' in result) {
      this.figures.useCases++
      return waiter.resolve(result.answer)
    }
    if ('fault' in result) return waiter.reject(new Error(result.fault))
    this.figures.refused++
    waiter.reject(new Refusal(result.refusal.code, result.refusal.detail, result.refusal.fields))
  }

  #lose(reason: string): void {
    if (!this.#closed) this.#broken ??= reason
    this.#opened.reject(new Error(reason))
    for (const waiter of this.#waiters.values()) waiter.reject(new Refusal('store_unavailable', reason))
    this.#waiters.clear()
  }
}
