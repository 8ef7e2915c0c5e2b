/**
 * The server's side of the writer thread: sends requests once per turn of the event loop and
 * matches the answers.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Refusal } from '../../domain/errors.ts'
import type { Detail } from '../../domain/notices.ts'
import type { LocalDoorbell } from '../log/doorbell.ts'
import type { Job } from '../log/run-use-case.ts'
import type { Identity } from '../migrate.ts'
import { newCounter, post } from './mailbox.ts'
import type {
  StartWriter,
  WriterReply,
  WriterRequest,
  WriterResult,
  WriterStart,
  WriterThread,
} from './writer-messages.ts'

/** The most use cases accepted and not yet answered; more are refused with `busy`. */
const maxWaiting = 20_000

interface Waiter {
  resolve(answer: unknown): void
  reject(error: Error): void
}

type Done = Extract<WriterReply, { readonly type: 'done' }>

/** The database could not be opened; `errcode` is SQLite's error number, if any. */
class OpenFailed extends Error {
  readonly errcode: number | null
  constructor(name: string, message: string, errcode: number | null) {
    super(message)
    this.name = name
    this.errcode = errcode
  }
}

/**
 * The thread's young generation as V8 counts it: 1 MiB for each semi-space. The default is 32 times
 * as much, and what its start makes would fill it: an idle server would hold 5 MiB for nothing
 * (SP11), a busy one more (RE8).
 */
const youngMb = 3

export const startWriter: StartWriter = (entry, start) =>
  new Worker(entry, {
    workerData: start,
    env: environmentOfThreads(),
    resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    ...(process.execArgv.some(isForTypedProgram) && {
      execArgv: argumentsOfThreads(process.execArgv),
    }),
  })

/**
 * How a program typed after `-e` is read, and the program: a thread that loads a file refuses to
 * start with them.
 */
const isForTypedProgram = (argument: string): boolean =>
  /^(--input-type|-e|--eval|-p|--print|-pe)(=|$)/.test(argument)

function argumentsOfThreads(given: readonly string[]): string[] {
  return given.filter((argument, at) => {
    const before = given[at - 1]
    const isItsValue = before !== undefined && isForTypedProgram(before) && !before.includes('=')
    return !isForTypedProgram(argument) && !isItsValue
  })
}

/** Passes the compile cache to threads, which makes them start twice as fast. */
export function environmentOfThreads(): NodeJS.ProcessEnv {
  const compiled = getCompileCacheDir()
  return compiled === undefined
    ? process.env
    : { ...process.env, NODE_COMPILE_CACHE: dirname(compiled) }
}

export class SqliteWriter {
  readonly figures = { commits: 0, useCases: 0, refused: 0, retried: 0, abandoned: 0 }
  readonly #thread: WriterThread
  readonly #posted = newCounter()
  readonly #doorbell: LocalDoorbell
  /** In the order of the requests, which is the order of the answers. */
  #waiters: Waiter[] = []
  #outbox: WriterRequest[] = []
  #broken: Detail | null = null
  #failure: Detail | null = null
  #closed: Promise<void> | undefined
  #opened!: { resolve(identity: Identity): void; reject(error: Error): void }
  #onClosed: () => void = () => {}
  readonly opened: Promise<Identity>

  constructor(
    start: Omit<WriterStart, 'posted'>,
    entry: URL,
    startThread: StartWriter,
    doorbell: LocalDoorbell,
  ) {
    this.#doorbell = doorbell
    this.opened = new Promise((resolve, reject) => {
      this.#opened = { resolve, reject }
    })
    this.#thread = startThread(entry, { ...start, posted: this.#posted })
    this.#thread.on('message', (reply) => this.#receive(JSON.parse(reply) as WriterReply))
    this.#thread.on('error', (error) => this.#lose(`The writer thread failed (${String(error)})`))
    this.#thread.on('exit', () => {
      this.#lose('The writer thread has ended')
      this.#onClosed()
    })
  }

  get waiting(): number {
    return this.#waiters.length
  }

  /** Why nothing is written: permanently, or until the next successful commit. */
  get failure(): Detail | null {
    return this.#broken ?? this.#failure
  }

  run(useCase: string, job: Job<unknown>): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Refusal('shutting_down'))
    if (this.#broken) return Promise.reject(new Refusal('store_unavailable', this.#broken))
    if (this.#waiters.length >= maxWaiting) return Promise.reject(new Refusal('busy'))
    // Sends all requests of one turn together, so that they share a commit.
    if (this.#outbox.length === 0) queueMicrotask(() => this.#handOver())
    this.#outbox.push({ useCase, input: job.input, now: job.now, receipt: job.receipt })
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#onClosed = resolve
      // After everything already accepted, which the thread finishes first.
      this.#handOver()
      post(this.#thread, this.#posted, 'close')
    })
    return this.#closed
  }

  #handOver(): void {
    if (this.#outbox.length === 0) return
    post(this.#thread, this.#posted, this.#outbox)
    this.#outbox = []
  }

  #receive(reply: WriterReply): void {
    switch (reply.type) {
      case 'opened':
        return this.#opened.resolve(reply.identity)
      case 'open-failed':
        return this.#opened.reject(new OpenFailed(reply.name, reply.message, reply.errcode))
      case 'done':
        return this.#done(reply)
    }
  }

  #done(reply: Done): void {
    this.#failure = reply.failure
    if (reply.broken) this.#broken ??= reply.failure
    this.figures.commits++
    this.figures.retried += reply.retried
    const answered = this.#waiters.splice(0, reply.results.length)
    const finish = (): void => {
      this.#doorbell.ringAny(reply.heads)
      for (const [index, waiter] of answered.entries())
        this.#answer(waiter, reply.results[index] ?? {})
    }
    // Readers that wait for these streams have waited longer than the writers, so they are called
    // first.
    if (this.#doorbell.ringNamed(reply.heads)) setImmediate(finish)
    else finish()
  }

  #answer(waiter: Waiter, result: WriterResult): void {
    if ('fault' in result) return waiter.reject(new Error(result.fault))
    if ('refusal' in result) {
      this.figures.refused++
      return waiter.reject(
        new Refusal(result.refusal.code, result.refusal.detail, result.refusal.fields),
      )
    }
    this.figures.useCases++
    waiter.resolve(result.answer)
  }

  #lose(reason: string): void {
    if (!this.#closed) this.#broken ??= reason
    this.#opened.reject(new Error(reason))
    for (const waiter of this.#waiters.splice(0))
      waiter.reject(new Refusal('store_unavailable', reason))
  }
}
