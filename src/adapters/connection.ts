/**
 * What adapters with a socket share: messages are handled one after the other once the connection
 * is announced, and the first failure ends it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { statusNotice } from '../domain/status-texts.ts'
import { ChannelFailure } from './port.ts'

/** Messages that wait to be handled; a platform that sends more is connected to anew. */
const maxWaiting = 2000

export class Connection {
  readonly #ended = Promise.withResolvers<void>()
  readonly #opened = Promise.withResolvers<void>()
  #last: Promise<void> = this.#opened.promise
  #waiting = 0

  constructor() {
    // The end may come before anything waits for it.
    this.#ended.promise.catch(() => {})
  }

  /** From now on what was added is handled. */
  open(): void {
    this.#opened.resolve()
  }

  /** Handles something behind all that came before it. */
  add(handle: () => Promise<void>): void {
    if (++this.#waiting > maxWaiting)
      return this.fail(new ChannelFailure('unknown', statusNotice('platformFlood')))
    this.#last = this.#last
      .then(handle)
      .catch((error: unknown) => this.fail(error))
      .finally(() => this.#waiting--)
  }

  /** The connection is over, orderly. */
  end(): void {
    this.#ended.resolve()
  }

  fail(error: unknown): void {
    this.#ended.reject(error)
  }

  /** Rejects with the first failure. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }
}

/** Gives up waiting for something that cannot be cancelled. */
export async function within<T>(
  ms: number,
  doing: Promise<T>,
  signal: AbortSignal,
  late: () => unknown,
): Promise<T> {
  const timer = new AbortController()
  const either = AbortSignal.any([timer.signal, signal])
  try {
    return await Promise.race([
      doing,
      pause(ms, undefined, { signal: either }).then(
        () => Promise.reject(late()),
        () => Promise.reject(late()),
      ),
    ])
  } finally {
    timer.abort()
  }
}

/** The names of people and chats that were asked for, not more than so many. */
export class NameCache {
  readonly #names = new Map<string, string>()

  async of(id: string, ask: () => Promise<string | undefined>): Promise<string> {
    const cached = this.#names.get(id)
    if (cached !== undefined) return cached
    // A name is for show: without it the id is shown.
    const name = (await ask().catch(() => undefined)) || id
    if (this.#names.size >= 1000) this.#names.clear()
    this.#names.set(id, name)
    return name
  }
}
