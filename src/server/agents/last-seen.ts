/**
 * When each agent session was last heard of (AS6): in memory, so that a call need not write. What is forgotten costs an agent at
 * most the minute by which the store may be behind.
 */
import type { Instant } from '../../domain/instant.ts'

/** Beyond this the one that was quiet longest is forgotten. */
const maxRemembered = 20_000

export class LastSeen {
  readonly #at = new Map<string, Instant>()

  saw(agentSessionId: string, at: Instant): void {
    this.#at.delete(agentSessionId)
    this.#at.set(agentSessionId, at)
    if (this.#at.size <= maxRemembered) return
    for (const oldest of this.#at.keys()) {
      this.#at.delete(oldest)
      return
    }
  }

  of(agentSessionId: string): Instant | null {
    return this.#at.get(agentSessionId) ?? null
  }

  forget(agentSessionId: string): void {
    this.#at.delete(agentSessionId)
  }
}
