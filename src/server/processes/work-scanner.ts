/** Follows the log for work: starts agents that have some, and hands turns to agents that are ready. */

import { parseAgentKey, parseWebKey } from '../../domain/conversations/key.ts'
import { home, parseStream, type StreamName } from '../../domain/stream-name.ts'
import { forEachSettled, inPages } from '../../platform/for-each-settled.ts'
import type { EventType } from '../../protocol/events.ts'
import { findPairsWithWork, pairsPageSize } from '../../services/agent-sessions/queries.ts'
import { findStartableRoles, startWaitingRole } from '../../services/flows/begin-turn.ts'
import { dispatchTurn, findDispatch } from '../../services/flows/dispatch-turn.ts'
import { findReadyLaunches, readyPageSize } from '../../services/turns/queries.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import type { PairsFilter } from '../../store/agent-sessions/work-at-hand.ts'
import type { ReadyLaunch } from '../../store/processes/launches.ts'
import type { Store } from '../../store/store.ts'
import type { Basics, ServerDependencies } from '../dependencies.ts'
import type { FeedEvent, TailFollower } from '../live/tail.ts'

// Scans a target when a doorbell says that something changed there, and all targets every few seconds, so a lost doorbell costs
// seconds and never work. A target that rings repeatedly while it waits is scanned once. Scans decide under locks, so several
// nodes may scan at once.

/** A target and its name; of several waiting targets with one name only the last is scanned. */
export type ScanTarget<Target> = readonly [name: string, target: Target]

export interface ChangeScannerOptions<Target> extends Pick<Basics, 'clock' | 'logger'> {
  readonly store: Pick<Store, 'doorbell'>
  /** Interval of the scan of all targets. */
  readonly everyMs: number
  /** Upper bound of waiting targets; beyond it all targets are scanned instead. */
  readonly maxWaiting: number
  readonly concurrency: number
  readonly all: Target
  /** Returns the targets to scan when a stream has rung. */
  readonly targetsOf: (stream: StreamName) => Iterable<ScanTarget<Target>>
  readonly scan: (target: Target) => Promise<void>
  /** Log line for a failed scan; the next scan of all targets retries. */
  readonly failureText: string
}

export class ChangeScanner<Target> {
  readonly #options: ChangeScannerOptions<Target>
  readonly #waiting = new Map<string, Target>()
  #running: Promise<void> | undefined
  #stopBell: (() => void) | undefined
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(options: ChangeScannerOptions<Target>) {
    this.#options = options
  }

  start(): void {
    const { store, targetsOf } = this.#options
    this.#stopBell = store.doorbell.onAny((stream) => {
      for (const [name, target] of targetsOf(stream)) this.#enqueue(name, target)
    })
    this.#scanPeriodically()
  }

  /** Resolves when running scans have finished. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopBell?.()
    this.#cancel?.()
    this.#waiting.clear()
    await this.#running
  }

  /** Resolves when nothing waits to be scanned. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  scanAll(): void {
    this.#enqueue('', this.#options.all)
  }

  #scanPeriodically(): void {
    this.scanAll()
    this.#cancel = this.#options.clock.after(this.#options.everyMs, () => this.#scanPeriodically())
  }

  #enqueue(name: string, target: Target): void {
    if (this.#stopped) return
    if (this.#waiting.size < this.#options.maxWaiting) this.#waiting.set(name, target)
    else {
      this.#waiting.clear()
      this.#waiting.set('', this.#options.all)
    }
    this.#running ??= this.#scanWaiting()
  }

  async #scanWaiting(): Promise<void> {
    // Lets the committing caller be answered first.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.size > 0) {
      const some = [...this.#waiting].slice(0, this.#options.concurrency)
      for (const [name] of some) this.#waiting.delete(name)
      await Promise.all(some.map(([, target]) => this.#scan(target)))
    }
    // Synchronously after the last check for waiting targets, so that no ring in between is lost.
    this.#running = undefined
  }

  async #scan(target: Target): Promise<void> {
    const { scan, logger, failureText } = this.#options
    try {
      await scan(target)
    } catch (error) {
      if (!this.#stopped) logger.warn({ error: String(error) }, `${failureText}; retrying`)
    }
  }
}

const startEveryMs = 3000
const maxPairsWaiting = 5000
const concurrency = 8

/** Events of the home stream after which agents may be startable. */
const startableAfter: ReadonlySet<string> = new Set<EventType>([
  'coordinator-joined',
  'coordinator-back',
  'agent-changed',
  'project-changed',
  'agent-assigned',
])

/** One pair, or all pairs that match a filter. */
type StartTarget =
  | { readonly pair: Pair; readonly inChat: boolean }
  | { readonly among: PairsFilter }

/**
 * Starts agents that have work waiting (CO3). Runs off the request path: it follows the log, checks each (agent, project) pair
 * with one read, and requests a launch. Whether to launch is decided under the project's lock.
 */
export class Starter implements TailFollower {
  readonly #options: Pick<ServerDependencies, 'store' | 'tails' | 'launches'>
  readonly #scanner: ChangeScanner<StartTarget>

  constructor(options: Basics & Pick<ServerDependencies, 'tails' | 'launches'>) {
    this.#options = options
    this.#scanner = new ChangeScanner<StartTarget>({
      ...options,
      everyMs: startEveryMs,
      maxWaiting: maxPairsWaiting,
      concurrency,
      all: { among: {} },
      targetsOf: pairsOf,
      scan: (target) => this.#scan(target),
      failureText: 'work for agents could not be checked',
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
      inPages<Pair>(
        (after) => store.query(findPairsWithWork, { ...target.among, after }),
        pairsPageSize,
      ),
      (pair) => launches.order(pair),
    )
  }
}

function* pairsOf(name: StreamName): Iterable<ScanTarget<StartTarget>> {
  const stream = parseStream(name)
  if (stream?.kind === 'project') yield [name, { among: { projectId: stream.id } }]
  if (stream?.kind !== 'conversation') return
  const pair = parseWebKey(stream.id)
  if (pair) yield [name, { pair, inChat: true }]
  else
    for (const agentId of parseAgentKey(stream.id)?.agentIds ?? [])
      yield [`agent:${agentId}`, { among: { agentId } }]
}

/** Interval of the full scan, and so the largest delay in ending an idle process. */
const dispatchEveryMs = 2000
const maxTurnsWaiting = 1000

/** One project; undefined for all. */
type ProjectId = string | undefined

/** Gives ACP agents their next turn (CH12, CX9): follows the log, checks each process with one read, decides under locks. */
export const createTurnDispatcher = (options: Basics): ChangeScanner<ProjectId> =>
  new ChangeScanner<ProjectId>({
    ...options,
    everyMs: dispatchEveryMs,
    maxWaiting: maxTurnsWaiting,
    concurrency: 1,
    all: undefined,
    targetsOf: conversationsOf,
    scan: (projectId) => dispatchWhereNeeded(options.store, projectId),
    failureText: 'turn could not be dispatched',
  })

function* conversationsOf(name: StreamName): Iterable<ScanTarget<ProjectId>> {
  const stream = parseStream(name)
  const projectId = stream?.kind === 'conversation' ? parseWebKey(stream.id)?.projectId : stream?.id
  if (stream?.kind === 'project' || stream?.kind === 'conversation')
    yield [projectId ?? '', projectId]
}

async function dispatchWhereNeeded(store: Store, projectId: ProjectId): Promise<void> {
  await forEachSettled(await store.query(findStartableRoles, {}), (which) =>
    store.run(startWaitingRole, which),
  )
  await forEachSettled(
    inPages<ReadyLaunch>(
      (last) => store.query(findReadyLaunches, { projectId, after: last?.launchId ?? '' }),
      readyPageSize,
    ),
    async (launch) => {
      // A process may have several free contexts.
      for (let more = true; more; ) {
        const next = await store.query(findDispatch, launch)
        more = next !== undefined && (await store.run(dispatchTurn, next)).dispatched
      }
    },
  )
}
