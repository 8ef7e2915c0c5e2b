/**
 * Has agents started for the work there is (CO3): looks at a pair when something happened where its work comes from. Stands beside the
 * way of a message, never on it; reads before it writes; what it orders is decided behind a lock.
 */
import { parseAgentKey, parseWebKey } from '../../domain/conversations/key.ts'
import { home, parseStream, type StreamName } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/clock.ts'
import { eachByItself, inPages } from '../../platform/each-by-itself.ts'
import type { Logger } from '../../platform/logger.ts'
import type { EventType } from '../../protocol/events.ts'
import { findPairsWithWork, pairsAtOnce } from '../../services/agent-sessions/queries.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import type { PairsFilter } from '../../store/agent-sessions/work-at-hand.ts'
import type { Store } from '../../store/store.ts'
import { ChangeScanner, type ScanTarget } from '../live/change-scanner.ts'
import type { FeedEvent } from '../live/feed-event.ts'
import type { TailFollower, Tails } from '../live/tail.ts'
import type { Launches } from './launches.ts'

const everyMs = 3000
const maxWaiting = 5000
const concurrency = 8

/** Of what happens in home, that which makes starts possible. */
const newsOfHome: ReadonlySet<string> = new Set<EventType>([
  'coordinator-joined',
  'coordinator-back',
  'agent-changed',
  'agent-assigned',
])

export interface StarterOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly tails: Tails
  readonly launches: Launches
}

/** One pair, or all that fit. */
type Look = { readonly pair: Pair; readonly inChat: boolean } | { readonly among: PairsFilter }

export class Starter implements TailFollower {
  readonly #options: StarterOptions
  readonly #scanner: ChangeScanner<Look>

  constructor(options: StarterOptions) {
    this.#options = options
    this.#scanner = new ChangeScanner<Look>({
      ...options,
      everyMs,
      maxWaiting,
      concurrency,
      all: { among: {} },
      targetsOf,
      scan: (look) => this.#scan(look),
      complaint: 'It could not be seen whether an agent is to be started',
    })
  }

  async start(): Promise<void> {
    const { store, tails } = this.#options
    const tail = tails.hold(home)
    tail.join(this)
    const [position] = await store.positions([home])
    tail.start(position?.head ?? 0)
    this.#scanner.start()
  }

  /** Resolves when what was begun is done. */
  stop(): Promise<void> {
    return this.#scanner.stop()
  }

  /** Resolves when everything that is waiting now was looked at. */
  settled(): Promise<void> {
    return this.#scanner.settled()
  }

  take(events: readonly FeedEvent[]): void {
    if (events.some(({ type }) => newsOfHome.has(type))) this.#scanner.scanAll()
  }

  async #scan(look: Look): Promise<void> {
    const { store, launches } = this.#options
    if ('pair' in look) return void (await launches.order(look.pair, look.inChat))
    await eachByItself(
      inPages<Pair>((after) => store.query(findPairsWithWork, { ...look.among, after }), pairsAtOnce),
      (pair) => launches.order(pair),
    )
  }
}

function* targetsOf(name: StreamName): Iterable<ScanTarget<Look>> {
  const stream = parseStream(name)
  if (stream?.kind === 'project') yield [name, { among: { projectId: stream.id } }]
  if (stream?.kind !== 'conversation') return
  const pair = parseWebKey(stream.id)
  if (pair) yield [name, { pair, inChat: true }]
  else for (const agentId of parseAgentKey(stream.id)?.agentIds ?? []) yield [`agent:${agentId}`, { among: { agentId } }]
}
