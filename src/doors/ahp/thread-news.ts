/**
 * Tells one client of changes in the list of sessions, from `session-changed` in `home`. What
 * changes several times meanwhile is read once.
 */
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { HoldfastEvent } from '../../protocol/events.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { rootChannel } from './names.ts'
import { listSessions, rootState, summaryFor } from './root.ts'
import type { ThreadSummary } from './thread-summary.ts'

type Tell = (method: string, params: object) => void
type TellAction = (channel: string, action: object) => void

/** More than a list shows; the oldest are forgotten, and told of as new. */
const maxKnown = 2000

const agentChanges: ReadonlySet<string> = new Set([
  'agent-created',
  'agent-changed',
  'agent-deleted',
])

interface NewsOptions {
  readonly deps: ServerDependencies
  readonly who: Who
  readonly tell: Tell
  readonly act: TellAction
  readonly failed: (error: unknown) => void
}

export class ThreadNews {
  readonly #options: NewsOptions
  /** What the client was told of each session, as text. */
  readonly #known = new Map<string, { readonly uri: string; readonly text: string }>()
  readonly #changed = new Set<string>()
  #agentsChanged = false
  /** Whether the client has subscribed to the root. */
  isOpen = false
  #reading = false
  #closed = false

  constructor(options: NewsOptions) {
    this.#options = options
  }

  close(): void {
    this.#closed = true
  }

  /** Lists, and remembers what was listed. */
  async list(who: Who): Promise<ThreadSummary[]> {
    const listed = await listSessions(this.#options.deps, who)
    for (const { key, summary } of listed) this.#remember(key, summary)
    return listed.map(({ summary }) => summary)
  }

  /**
   * After a client came back: what is listed is told of as far as it is not known here, because it
   * does not always list again.
   */
  begin(): void {
    if (!this.isOpen) return
    void this.#tellAll().catch((error: unknown) => this.#options.failed(error))
  }

  async #tellAll(): Promise<void> {
    const { deps, who } = this.#options
    for (const { key, summary } of await listSessions(deps, who))
      if (!this.#closed) this.#tell(key, summary)
  }

  take(event: HoldfastEvent): void {
    if (agentChanges.has(event.type)) this.#agentsChanged = true
    else if (event.type === 'session-changed' && 'data' in event) this.#changed.add(event.data.key)
    else return
    if (this.isOpen && !this.#reading) void this.#read()
  }

  /** Some events are missing: whatever is listed may have changed. */
  readAgain(): void {
    this.#agentsChanged = true
    for (const key of this.#known.keys()) this.#changed.add(key)
    if (this.isOpen && !this.#reading) void this.#read()
  }

  async #read(): Promise<void> {
    this.#reading = true
    try {
      while (!this.#closed && (this.#agentsChanged || this.#changed.size > 0)) {
        if (this.#agentsChanged) await this.#readAgents()
        const [key] = this.#changed
        if (key === undefined) continue
        this.#changed.delete(key)
        await this.#readSession(key)
      }
    } catch (error) {
      if (!this.#closed) this.#options.failed(error)
    } finally {
      this.#reading = false
    }
  }

  async #readAgents(): Promise<void> {
    const { deps, who, act } = this.#options
    this.#agentsChanged = false
    const { agents } = await rootState(deps, who)
    if (!this.#closed) act(rootChannel, { type: 'root/agentsChanged', agents })
  }

  async #readSession(key: string): Promise<void> {
    const { deps, who } = this.#options
    const summary = await summaryFor(deps, who, key).catch((error: unknown) => {
      // Deleted, or another's.
      if (error instanceof Refusal) return undefined
      throw error
    })
    if (!this.#closed) this.#tell(key, summary)
  }

  #tell(key: string, summary: ThreadSummary | undefined): void {
    const { tell } = this.#options
    const before = this.#known.get(key)
    if (summary === undefined) {
      if (!before) return
      this.#known.delete(key)
      return tell('root/sessionRemoved', { channel: rootChannel, session: before.uri })
    }
    if (before?.text === JSON.stringify(summary)) return
    this.#remember(key, summary)
    const { resource, provider: _, createdAt: __, ...changes } = summary
    if (before?.uri === resource)
      return tell('root/sessionSummaryChanged', {
        channel: rootChannel,
        session: resource,
        changes,
      })
    if (before) tell('root/sessionRemoved', { channel: rootChannel, session: before.uri })
    tell('root/sessionAdded', { channel: rootChannel, summary })
  }

  #remember(key: string, summary: ThreadSummary): void {
    this.#known.delete(key)
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size >= maxKnown) this.#known.delete(oldest)
    this.#known.set(key, { uri: summary.resource, text: JSON.stringify(summary) })
  }
}
