/**
 * Starts agents that have work waiting (CO3). Runs off the request path: it follows the log, checks each (agent, project) pair
 * with one read, and requests a launch. Whether to launch is decided under the project's lock.
 */
import { parseAgentKey, parseWebKey } from '../../domain/conversations/key.ts'
import { home, parseStream, type StreamName } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/clock.ts'
import { forEachSettled, inPages } from '../../platform/for-each-settled.ts'
import type { Logger } from '../../platform/logger.ts'
import type { EventType } from '../../protocol/events.ts'
import { findPairsWithWork, pairsPageSize } from '../../services/agent-sessions/queries.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import type { PairsFilter } from '../../store/agent-sessions/work-at-hand.ts'
import type { Store } from '../../store/store.ts'
import { ChangeScanner, type ScanTarget } from '../live/change-scanner.ts'
import type { FeedEvent, TailFollower, Tails } from '../live/tail.ts'
import type { Launches } from './launches.ts'

const everyMs = 3000
const maxWaiting = 5000
const concurrency = 8

/** Events of the home stream after which agents may be startable. */
const startableAfter: ReadonlySet<string> = new Set<EventType>([
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

/** One pair, or all pairs that match a filter. */
type StartTarget = { readonly pair: Pair; readonly inChat: boolean } | { readonly among: PairsFilter }

export class Starter implements TailFollower {
  readonly #options: StarterOptions
  readonly #scanner: ChangeScanner<StartTarget>

  constructor(options: StarterOptions) {
    this.#options = options
    this.#scanner = new ChangeScanner<StartTarget>({
      ...options,
      everyMs,
      maxWaiting,
      concurrency,
      all: { among: {} },
      targetsOf,
      scan: (target) => this.#scan(target),
      failureText: 'It could not be seen whether an agent is to be started',
    })
  }

  async start(): Promise<void> {
    const { store, tails } = this.#options
    const tail = tails.acquire(home)
    tail.join(this)
    const [position] = await store.positions([home])
    tail.start(position?.head ?? 0)
    this.#scanner.start()
  }

  /** Resolves when running scans have finished. */
  stop(): Promise<void> {
    return this.#scanner.stop()
  }

  /** Resolves when nothing waits to be scanned. */
  settled(): Promise<void> {
    return this.#scanner.settled()
  }

  take(events: readonly FeedEvent[]): void {
    if (events.some(({ type }) => startableAfter.has(type))) this.#scanner.scanAll()
  }

  async #scan(target: StartTarget): Promise<void> {
    const { store, launches } = this.#options
    if ('pair' in target) return void (await launches.order(target.pair, target.inChat))
    await forEachSettled(
      inPages<Pair>((after) => store.query(findPairsWithWork, { ...target.among, after }), pairsPageSize),
      (pair) => launches.order(pair),
    )
  }
}

function* targetsOf(name: StreamName): Iterable<ScanTarget<StartTarget>> {
  const stream = parseStream(name)
  if (stream?.kind === 'project') yield [name, { among: { projectId: stream.id } }]
  if (stream?.kind !== 'conversation') return
  const pair = parseWebKey(stream.id)
  if (pair) yield [name, { pair, inChat: true }]
  else for (const agentId of parseAgentKey(stream.id)?.agentIds ?? []) yield [`agent:${agentId}`, { among: { agentId } }]
}
