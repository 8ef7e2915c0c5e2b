/**
 * Permission requests of an agent that are not decided. Each is asked once under an id of ours, and answered or withdrawn once.
 */
import { randomUUID } from 'node:crypto'
import type { PermissionAnswer } from './acp/permissions.ts'

interface PermissionListener {
  readonly asked: (askId: string) => void
  readonly withdrawn: (askId: string) => void
}

export class PendingPermissions {
  readonly #open = new Map<string, (answer: PermissionAnswer) => void>()

  /** Resolves with the answer. Aborting the signal withdraws the request. */
  async ask(signal: AbortSignal, listener: PermissionListener): Promise<PermissionAnswer> {
    const askId = randomUUID()
    const { promise, resolve } = Promise.withResolvers<PermissionAnswer>()
    this.#open.set(askId, resolve)
    const withdraw = (): void => {
      resolve({ choose: 'cancelled' })
      if (this.#open.delete(askId)) listener.withdrawn(askId)
    }
    signal.addEventListener('abort', withdraw, { once: true })
    listener.asked(askId)
    const answer = await promise
    this.#open.delete(askId)
    signal.removeEventListener('abort', withdraw)
    return answer
  }

  settle(askId: string, answer: PermissionAnswer): void {
    this.#open.get(askId)?.(answer)
  }
}
