/**
 * Follows the log for work: starts agents that have some, and hands turns to agents that are ready.
 */

import { theServer } from '../../domain/access/caller.ts'
import { isWork } from '../../domain/conversations/key.ts'
import { home, parseStream, type StreamName } from '../../domain/stream-name.ts'
import { forEachSettled, inPages } from '../../platform/for-each-settled.ts'
import type { EventType } from '../../protocol/events.ts'
import { findPostsWithWork, postsPageSize } from '../../services/agent-sessions/queries.ts'
import { App } from '../../services/app.ts'
import { findIdentities } from '../../services/conversations/queries.ts'
import { dispatchTurn, findDispatch } from '../../services/flows/work/dispatch-turn.ts'
import { findReadyLaunches, readyPageSize } from '../../services/turns/queries.ts'
import type { Post } from '../../store/agent-sessions/agent-sessions.ts'
import type { PostsFilter } from '../../store/agent-sessions/work-at-hand.ts'
import {
  agentsOf,
  type PlacedConversation,
} from '../../store/conversations/conversation-identity.ts'
import type { ReadyLaunch } from '../../store/processes/ready-launches.ts'
import type { Store } from '../../store/store.ts'
import type { Basics, ServerDependencies } from '../dependencies.ts'
import type { FeedEvent, TailFollower } from '../live/tail.ts'

// Scans a target when a doorbell says that something changed there, and all targets every few
// seconds, so a lost doorbell costs seconds and never work. A target that rings repeatedly while it
// waits is scanned once. Scans decide under locks, so several nodes may scan at once.

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
  /** Returns the targets to scan when these streams have rung. */
  readonly targetsOf: (streams: readonly StreamName[]) => Promise<readonly ScanTarget<Target>[]>
  readonly scan: (target: Target) => Promise<void>
  /** Log line for a failed scan; the next scan of all targets retries. */
  readonly failureText: string
}

/** Streams that say what is to be scanned. */
const kindsHeard: ReadonlySet<string | undefined> = new Set(['project', 'conversation'])
/** Streams whose targets are found with one read. */
const streamsAtOnce = 500

export class ChangeScanner<Target> {
  readonly #options: ChangeScannerOptions<Target>
  readonly #waiting = new Map<string, Target>()
  /** Streams whose targets are not known yet. */
  readonly #rung = new Set<StreamName>()
  #running: Promise<void> | undefined
  #stopBell: (() => void) | undefined
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(options: ChangeScannerOptions<Target>) {
    this.#options = options
  }

  start(): void {
    this.#stopBell = this.#options.store.doorbell.onAny((stream) => this.#hear(stream))
    this.#scanPeriodically()
  }

  /** Resolves when running scans have finished. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopBell?.()
    this.#cancel?.()
    this.#rung.clear()
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

  #hear(stream: StreamName): void {
    if (this.#stopped || !kindsHeard.has(parseStream(stream)?.kind)) return
    if (this.#rung.size < this.#options.maxWaiting) {
      this.#rung.add(stream)
      this.#running ??= this.#scanWaiting()
    } else {
      this.#rung.clear()
      this.scanAll()
    }
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
    while (this.#rung.size > 0 || this.#waiting.size > 0) {
      await this.#findTargets()
      const some = [...this.#waiting].slice(0, this.#options.concurrency)
      for (const [name] of some) this.#waiting.delete(name)
      await Promise.all(some.map(([, target]) => this.#scan(target)))
    }
    // Synchronously after the last check for waiting targets, so that no ring in between is lost.
    this.#running = undefined
  }

  /**
   * One read for all that rang meanwhile. What cannot be read is left to the scan of all targets.
   */
  async #findTargets(): Promise<void> {
    const { targetsOf, logger, failureText } = this.#options
    const rung = [...this.#rung].slice(0, streamsAtOnce)
    for (const stream of rung) this.#rung.delete(stream)
    if (rung.length === 0) return
    try {
      for (const [name, target] of await targetsOf(rung)) this.#enqueue(name, target)
    } catch (error) {
      if (!this.#stopped) logger.warn({ error: String(error) }, `${failureText}; trying again`)
      this.scanAll()
    }
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
const maxPostsWaiting = 5000
const concurrency = 8

/** Events of the home stream after which agents may be startable. */
const startableAfter: ReadonlySet<string> = new Set<EventType>([
  'coordinator-joined',
  'coordinator-back',
  'agent-changed',
  'project-changed',
  'agent-assigned',
])

/** One post, or all that match a filter. */
type StartTarget =
  | { readonly post: Post; readonly inChat: boolean }
  | { readonly among: PostsFilter }

/**
 * Starts agents that have work waiting (CO3). Runs off the request path: it follows the log, checks
 * each post (an agent in a project, or in a thread of it) with one read, and requests a launch.
 * Whether to launch is decided under the project's lock.
 */
export class Starter implements TailFollower {
  readonly #options: Pick<ServerDependencies, 'store' | 'tails' | 'launches'>
  readonly #scanner: ChangeScanner<StartTarget>

  constructor(options: Basics & Pick<ServerDependencies, 'tails' | 'launches'>) {
    this.#options = options
    this.#scanner = new ChangeScanner<StartTarget>({
      ...options,
      everyMs: startEveryMs,
      maxWaiting: maxPostsWaiting,
      concurrency,
      all: { among: {} },
      targetsOf: async (streams) => [
        ...projectsIn(streams).map(
          (projectId): ScanTarget<StartTarget> => [projectId, { among: { projectId } }],
        ),
        ...(await conversationsIn(options.store, streams)).flatMap((each) => [...startsIn(each)]),
      ],
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
    if ('post' in target) return void (await launches.order(target.post, target.inChat))
    await forEachSettled(
      inPages<Post>(
        (after) => store.query(findPostsWithWork, { ...target.among, after }),
        postsPageSize,
      ),
      (post) => launches.order(post),
    )
  }
}

const projectsIn = (streams: readonly StreamName[]): string[] =>
  streams.flatMap((name) => {
    const stream = parseStream(name)
    return stream?.kind === 'project' ? [stream.id] : []
  })

/** What the conversations are that rang. */
function conversationsIn(
  store: Pick<Store, 'query'>,
  streams: readonly StreamName[],
): Promise<readonly PlacedConversation[]> {
  const keys = streams.flatMap((name) => {
    const stream = parseStream(name)
    return stream?.kind === 'conversation' ? [stream.id] : []
  })
  return keys.length === 0 ? Promise.resolve([]) : store.query(findIdentities, { keys })
}

/** An agent's work is begun by the project's stream and by those of consoles. */
function* startsIn(conversation: PlacedConversation): Iterable<ScanTarget<StartTarget>> {
  const { kind, projectId, agentId, lane } = conversation
  if (isWork(kind)) return
  if (projectId !== null && agentId !== null)
    yield [`${projectId} ${agentId} ${lane}`, { post: { projectId, agentId, lane }, inChat: true }]
  else for (const id of agentsOf(conversation)) yield [`agent ${id}`, { among: { agentId: id } }]
}

/** Interval of the full scan, and so the largest delay in ending an idle process. */
const dispatchEveryMs = 2000
const maxTurnsWaiting = 1000

/** One project; undefined for all. */
type ProjectId = string | undefined

/**
 * Gives ACP agents their next turn (CH12, CX9): follows the log, checks each process with one read,
 * decides under locks.
 */
export const createTurnDispatcher = (options: Basics): ChangeScanner<ProjectId> =>
  new ChangeScanner<ProjectId>({
    ...options,
    everyMs: dispatchEveryMs,
    maxWaiting: maxTurnsWaiting,
    concurrency: 1,
    all: undefined,
    targetsOf: async (streams) => [
      ...projectsIn(streams).map((id): ScanTarget<ProjectId> => [id, id]),
      ...(await conversationsIn(options.store, streams)).map(
        ({ projectId }): ScanTarget<ProjectId> => [projectId ?? '', projectId ?? undefined],
      ),
    ],
    scan: (projectId) => dispatchWhereNeeded(options.store, projectId),
    failureText: 'turn could not be dispatched',
  })

async function dispatchWhereNeeded(store: Store, projectId: ProjectId): Promise<void> {
  const app = new App(store)
  await forEachSettled(
    inPages<ReadyLaunch>(
      (last) => store.query(findReadyLaunches, { projectId, after: last?.launchId ?? '' }),
      readyPageSize,
    ),
    async (launch) => {
      // A process may have several free contexts.
      for (let more = true; more; ) {
        const next = await store.query(findDispatch, launch)
        more = next !== undefined && (await app.run(dispatchTurn, next, theServer)).dispatched
      }
    },
  )
}
