/**
 * Plays the loop of agents that are spoken to (CH12): when a doorbell says that something happened where their work comes from, and every
 * few seconds, looks whether one has to be told something or sent away. Reads before it writes; what it has done is decided behind locks,
 * so any number of nodes may look at once, and a lost doorbell costs seconds, never a message.
 */
import { parseWebKey } from '../../domain/conversation/key.ts'
import { parseStream, type StreamName } from '../../domain/stream/name.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { findSpokenLaunches, spokenAtOnce } from '../../services/find-spoken-launches.ts'
import { findSpokenStep } from '../../services/find-spoken-step.ts'
import { speakToAgent } from '../../services/speak-to-agent.ts'
import type { Store } from '../../store/store.ts'

/** Behind the doorbells; also how late somebody is sent away who has been idle for too long. */
const lookAtAllEveryMs = 2000
/** Projects that wait for a look; beyond it all are looked at. */
const maxWaiting = 1000

export interface SpeakerParts {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

const everywhere = ''

export class Speaker {
  readonly #parts: SpeakerParts
  /** Projects to look at. */
  readonly #waiting = new Set<string>()
  #running: Promise<void> | undefined
  #stopBell: (() => void) | undefined
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(parts: SpeakerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#stopBell = this.#parts.store.doorbell.onAny((stream) => this.#rung(stream))
    this.#lookAtAll()
  }

  /** Resolves when what was begun is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopBell?.()
    this.#cancel?.()
    this.#waiting.clear()
    await this.#running
  }

  /** Resolves when everything that is waiting now was looked at. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  #lookAtAll(): void {
    this.#look(everywhere)
    this.#cancel = this.#parts.clock.after(lookAtAllEveryMs, () => this.#lookAtAll())
  }

  #rung(name: StreamName): void {
    const stream = parseStream(name)
    if (stream?.kind === 'project') this.#look(stream.id)
    if (stream?.kind === 'conversation') this.#look(parseWebKey(stream.id)?.projectId ?? everywhere)
  }

  #look(projectId: string): void {
    if (this.#stopped) return
    this.#waiting.add(this.#waiting.size < maxWaiting ? projectId : everywhere)
    this.#running ??= this.#lookAtWaiting().finally(() => {
      this.#running = undefined
    })
  }

  async #lookAtWaiting(): Promise<void> {
    // Whoever rang is answered first.
    await new Promise((resolve) => setImmediate(resolve))
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      this.#waiting.delete(next)
      await this.#lookAt(next === everywhere ? undefined : next)
    }
  }

  async #lookAt(projectId: string | undefined): Promise<void> {
    const { store, logger } = this.#parts
    try {
      for (let after = ''; ; ) {
        const launches = await store.query(findSpokenLaunches, { projectId, after })
        for (const launch of launches) {
          const step = await store.query(findSpokenStep, launch)
          if (step) await store.run(speakToAgent, step)
        }
        after = launches.at(-1)?.launchId ?? after
        if (launches.length < spokenAtOnce) return
      }
    } catch (error) {
      if (!this.#stopped) logger.warn({ projectId, error: String(error) }, 'An agent could not be told something; trying again')
    }
  }
}
