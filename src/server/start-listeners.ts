/**
 * Builds all endpoints behind the HTTP listener. Their dependencies come from src/compose; they hold no state that another node
 * would miss.
 */

import type { FolderRules } from '../platform/files/folder-rules.ts'
import type { Seals } from '../platform/secrets/seals.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Store } from '../store/store.ts'
import { AgentCalls, type LastSeen } from './agent-sessions/agent-calls.ts'
import type { WaitingCalls } from './agent-sessions/waiting-calls.ts'
import { AttachedSessions } from './consoles/attached-sessions.ts'
import { UserSessions } from './consoles/user-sessions.ts'
import { SearchIndexer } from './conversations/indexer.ts'
import { OpenPanels } from './conversations/open-panels.ts'
import type { FilesBeside, ServerDependencies } from './dependencies.ts'
import { buildApp } from './http/app.ts'
import { loginAttemptsPerMinute, RateLimit } from './http/gate.ts'
import type { HttpListener } from './http/http-listener.ts'
import { Connections } from './live/connections.ts'
import { Tails } from './live/tail.ts'
import { Questions } from './processes/coordinator-requests.ts'
import { type CoordinatorRules, Launches, Offers } from './processes/launches.ts'
import { ProjectFolders } from './projects/project-folders.ts'
import { Credentials } from './security/credentials.ts'
import { acceptSockets } from './websocket/websocket-endpoint.ts'
import { FileOperations } from './worktrees/file-operations.ts'
import { Worktrees } from './worktrees/worktrees.ts'

export interface ListenersOptions {
  readonly listener: HttpListener
  readonly store: Store
  readonly clock: Clock
  readonly ownerTokenHash: string
  /** Seals of agents' secrets (SE12). */
  readonly seals: Seals
  readonly files: FilesBeside
  readonly coordinatorRules: CoordinatorRules
  readonly folderRules: FolderRules
  /** A coordinator is started beside this server. */
  readonly expectsCoordinator?: boolean | undefined
  /** Detects installed agents; none are detected when left out. */
  readonly detectAgents?: ServerDependencies['detectAgents'] | undefined
  readonly probeSandbox: ServerDependencies['probeSandbox']
  readonly signIns: ServerDependencies['signIns']
}

export interface Listeners {
  /** Last calls of agents and waiting calls, for the jobs that end sessions and processes. */
  readonly lastSeen: LastSeen
  readonly waitingCalls: WaitingCalls
  readonly launches: Launches
  readonly tails: Tails
  readonly worktrees: Worktrees
  readonly fileOperations: FileOperations
  /**
   * Stops: reports not ready, closes live connections, answers waiting calls, serves requests for `lingerMs` and longer while
   * they come, then stops accepting and finishes running requests. Takes at most a few seconds (OP2).
   */
  close(lingerMs?: number): Promise<void>
}

/** Time for running requests to finish. */
const drainMs = 5000
/** A load balancer that sends nothing for this long has noticed the stop; the total wait is limited. */
const quietMs = 400
const maxLingerMs = 4000
/** Time for connections accepted before the port closed to send their request. */
export const firstWordMs = 250

const isProbe = (url = ''): boolean => url === '/readyz' || url === '/healthz' || url.startsWith('/metrics')

export async function startListeners(options: ListenersOptions): Promise<Listeners> {
  const {
    listener,
    store,
    clock,
    ownerTokenHash,
    seals,
    files,
    coordinatorRules,
    folderRules,
    detectAgents = async () => ({ items: [], missing: [] }),
  } = options
  const { expectsCoordinator = false } = options
  const { logger, version, publicUrl, behindProxy } = listener.options
  const credentials = new Credentials(store, ownerTokenHash, publicUrl)
  const tails = new Tails({ store, clock, logger })
  const offers = new Offers(store, coordinatorRules, seals)
  const questions = new Questions(store, clock)
  const deps: ServerDependencies = {
    store,
    clock,
    logger,
    version,
    publicUrl,
    https: listener.https,
    credentials,
    seals,
    loginLimit: new RateLimit(clock, loginAttemptsPerMinute),
    tails,
    connections: new Connections({ store, clock, credentials, tails }),
    panels: new OpenPanels({ store, clock, logger }),
    agents: new AgentCalls({ store, clock, tails }),
    launches: new Launches(store, coordinatorRules, offers, seals),
    offers,
    files,
    userSessions: new UserSessions({ store, clock, expectsCoordinator, offers }),
    worktrees: new Worktrees(store, questions),
    fileOperations: new FileOperations(store, questions),
    folders: new ProjectFolders(store, folderRules),
    attached: new AttachedSessions({ store, clock, logger }),
    figures: listener.figures,
    search: new SearchIndexer({ store, clock, logger }),
    detectAgents,
    probeSandbox: options.probeSandbox,
    signIns: options.signIns,
    closing: false,
  }
  const app = buildApp({ deps, listener, behindProxy })
  acceptSockets(listener.server, deps, listener.gate)
  await app.ready()
  await deps.connections.start()
  deps.search.start()
  let askedAt = Number.NEGATIVE_INFINITY
  listener.handOver((request, response) => {
    if (deps.closing && !isProbe(request.url)) askedAt = clock.now()
    app.routing(request, response)
  })
  const after = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve))

  /** SC3: gives load balancers time to notice that this node stops, and more while requests still come. */
  async function linger(lingerMs: number): Promise<void> {
    const startedAt = clock.now()
    await after(lingerMs)
    for (;;) {
      const left = Math.min(askedAt + quietMs, startedAt + maxLingerMs) - clock.now()
      if (left <= 0) return
      await after(left)
    }
  }

  return {
    lastSeen: deps.agents.lastSeen,
    waitingCalls: deps.agents.waitingCalls,
    launches: deps.launches,
    tails,
    worktrees: deps.worktrees,
    fileOperations: deps.fileOperations,
    async close(lingerMs = 0) {
      deps.closing = true
      listener.connections.beginDrain()
      deps.agents.close()
      deps.panels.close()
      deps.attached.close()
      const goodbye = deps.connections.close()
      if (lingerMs > 0) await linger(lingerMs)
      const closed = Promise.all([listener.close(after(firstWordMs)), app.close()])
      const giveUp = clock.after(drainMs, () => listener.server.closeAllConnections())
      await goodbye
      await closed
      giveUp()
      await deps.search.stop()
    },
  }
}
