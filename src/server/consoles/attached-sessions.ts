/**
 * User sessions that WebSockets of this node are attached to (US3). Records periodically that a session is attached, and once
 * more when the last WebSocket detaches. Decides nothing.
 */
import { type Instant, instant } from '../../domain/instant.ts'
import type { Logger } from '../../platform/log/logger.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { maxAttachedAtOnce, touchUserSessions } from '../../services/consoles/change-user-session.ts'
import type { Store } from '../../store/store.ts'

/** A third of the time for which an attachment counts. */
const attachedEveryMs = 20_000
/** Changes within this time are written together. */
const gatherMs = 200

export interface AttachedSessionsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export class AttachedSessions {
  readonly #options: AttachedSessionsOptions
  /** Number of attached WebSockets per user session. */
  readonly #attached = new Map<string, number>()
  #changed = new Set<string>()
  /**
   * Time until which this node has last recorded each session as attached. A client that moves to another node is recorded there
   * afterwards.
   */
  readonly #seenUntil = new Map<string, Instant>()
  #stopGathering: (() => void) | undefined
  #stopSeeing: (() => void) | undefined
  #closed = false

  constructor(options: AttachedSessionsOptions) {
    this.#options = options
  }

  attach(userSessionId: string): void {
    const count = this.#attached.get(userSessionId) ?? 0
    this.#attached.set(userSessionId, count + 1)
    if (count === 0) this.#note(userSessionId)
    this.#stopSeeing ??= this.#options.clock.after(attachedEveryMs, () => this.#seeAll())
  }

  detach(userSessionId: string): void {
    const left = (this.#attached.get(userSessionId) ?? 1) - 1
    if (left > 0) this.#attached.set(userSessionId, left)
    else {
      this.#attached.delete(userSessionId)
      this.#note(userSessionId)
    }
  }

  close(): void {
    this.#closed = true
    this.#stopGathering?.()
    this.#stopSeeing?.()
  }

  #note(userSessionId: string): void {
    this.#changed.add(userSessionId)
    if (!this.#closed) this.#stopGathering ??= this.#options.clock.after(gatherMs, () => this.#seeChanged())
  }

  #seeChanged(): void {
    this.#stopGathering = undefined
    const changed = [...this.#changed]
    this.#changed = new Set()
    void this.#see(changed)
  }

  #seeAll(): void {
    this.#stopSeeing = this.#attached.size > 0 ? this.#options.clock.after(attachedEveryMs, () => this.#seeAll()) : undefined
    void this.#see([...this.#attached.keys()])
  }

  /** Records the current state of each. */
  async #see(ids: readonly string[]): Promise<void> {
    const { store, logger } = this.#options
    try {
      for (let at = 0; at < ids.length; at += maxAttachedAtOnce) {
        const some = ids.slice(at, at + maxAttachedAtOnce)
        const attached = some.filter((id) => this.#attached.has(id))
        const gone = some.filter((id) => !this.#attached.has(id))
        const detached = gone.map((id) => ({ id, seenUntil: this.#seenUntil.get(id) ?? instant(0) }))
        for (const id of gone) this.#seenUntil.delete(id)
        const until = await store.run(touchUserSessions, { attached, detached })
        for (const id of attached) if (this.#attached.has(id)) this.#seenUntil.set(id, until)
      }
    } catch (error) {
      if (!this.#closed) logger.warn({ error: String(error) }, 'Attached user sessions could not be noted; trying again')
    }
  }
}
