/**
 * Messages typed and not yet acknowledged by the server, sent in order (CH10). After a lost connection they are sent again with
 * the same client id, so each appears in the chat once.
 */

import { backoffMs, clientClock, pause } from '../../client/backoff.ts'
import type { Client } from '../../client/client.ts'
import { ProblemError, UnreachableError } from '../../client/failures.ts'
import type { Message } from '../../protocol/conversations/message.ts'

export interface OutboxOptions {
  readonly client: Client
  readonly projectId: string
  readonly agentId: string
  readonly newId: () => string
  /** Called with a message that was refused permanently. */
  readonly onRefused: (content: string, error: unknown) => void
  /** Called once per lost connection when a message has to wait. */
  readonly onWaiting: () => void
}

const maxWaiting = 200
const backoff = { firstMs: 250, maxMs: 5_000 }

export class ChatOutbox {
  readonly #options: OutboxOptions
  readonly #ours = new Set<string>()
  readonly #closing = new AbortController()
  #waiting = 0
  /** Serialises sending, so that the chat has the order in which messages were typed. */
  #last: Promise<unknown> = Promise.resolve()
  #wake = new AbortController()

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /** Whether a received message was typed here; asked once per message. */
  wasOurs(clientId: string | null): boolean {
    return clientId !== null && this.#ours.delete(clientId)
  }

  /** Resolves with the message when it is durable; undefined when it was refused. */
  send(content: string): Promise<Message | undefined> {
    if (this.#waiting >= maxWaiting) {
      this.#options.onRefused(content, new Error(`${maxWaiting} messages wait already`))
      return Promise.resolve(undefined)
    }
    const clientId = this.#options.newId()
    this.#ours.add(clientId)
    this.#waiting++
    const sent = this.#last.then(() => this.#deliver(content, clientId)).finally(() => this.#waiting--)
    this.#last = sent.catch(() => undefined)
    return sent
  }

  /** Retries at once after a reconnect. */
  connected(): void {
    this.#wake.abort()
  }

  async flush(): Promise<void> {
    await this.#last
  }

  close(): void {
    this.#closing.abort()
  }

  async #deliver(content: string, clientId: string): Promise<Message | undefined> {
    const { client, projectId, agentId, onRefused, onWaiting } = this.#options
    for (let attempt = 0; ; attempt++) {
      if (this.#closing.signal.aborted) return undefined
      try {
        const body = { projectId, toAgentId: agentId, content, clientId }
        return await client.post('/api/chat', { body, signal: this.#closing.signal, retries: 0 })
      } catch (error) {
        if (this.#closing.signal.aborted) return undefined
        if (!mayPass(error)) {
          this.#ours.delete(clientId)
          onRefused(content, error)
          return undefined
        }
        if (attempt === 0) onWaiting()
        this.#wake = new AbortController()
        const signal = AbortSignal.any([this.#wake.signal, this.#closing.signal])
        await pause(clientClock, backoffMs(backoff, attempt, Math.random), signal).catch(() => {})
      }
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof UnreachableError) return error.reason !== 'foreign'
  return error instanceof ProblemError && (error.problem.status === 429 || error.problem.status === 503)
}
