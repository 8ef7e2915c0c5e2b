/**
 * Builds all endpoints behind the HTTP listener. They hold no state that another node would miss.
 */

import { resolve } from 'node:path'
import { type SignInRules, signInRules } from '../domain/access/sign-in-rules.ts'
import type { FolderRules } from '../platform/files/folder-rules.ts'
import { SampledLog } from '../platform/log/sampled-log.ts'
import { configRules } from '../protocol/config.ts'
import { App } from '../services/app.ts'
import { AgentCalls } from './agent-sessions/agent-calls.ts'
import { UserSessions } from './consoles/user-sessions.ts'
import { SearchIndexer } from './conversations/indexer.ts'
import { PastSessionsOfMachines } from './conversations/past-sessions.ts'
import type { ServerDependencies } from './dependencies.ts'
import type { ServerDoor } from './door.ts'
import { buildApp } from './http/app.ts'
import type { HttpListener } from './http/http-listener.ts'
import { Connections } from './live/connections.ts'
import { attachedSessions, openPanels } from './live/presence.ts'
import { Tails } from './live/tail.ts'
import { CoordinatorRequests } from './processes/coordinator-requests.ts'
import { type CoordinatorRules, Launches } from './processes/launches.ts'
import { LinkedMachines } from './processes/linked-machines.ts'
import { ProjectFolders } from './projects/project-folders.ts'
import { Hosts } from './review/hosts.ts'
import { Landings } from './review/landings.ts'
import { Reviews } from './review/reviews.ts'
import { clientAddress } from './security/client-address.ts'
import { Credentials } from './security/credentials.ts'
import { loginAttemptsPerMinute, RateLimit } from './security/rate-limit.ts'
import { acceptSockets } from './websocket/websocket-endpoint.ts'
import { FileOperations } from './worktrees/file-operations.ts'
import { Worktrees } from './worktrees/worktrees.ts'

export interface ListenersOptions
  extends Pick<
    ServerDependencies,
    'store' | 'clock' | 'seals' | 'files' | 'probeSandbox' | 'signIns' | 'preparations'
  > {
  readonly listener: HttpListener
  readonly doors: readonly ServerDoor[]
  readonly ownerTokenHash: string
  readonly coordinatorRules: CoordinatorRules
  readonly folderRules: FolderRules
  /** 30 days without use and 90 at most when left out. */
  readonly signInRules?: SignInRules | undefined
  /** A coordinator is started beside this server. */
  readonly expectsCoordinator?: boolean | undefined
  /** No agents are detected when left out. */
  readonly detectAgents?: ServerDependencies['detectAgents'] | undefined
}

export interface Listeners
  extends Pick<
      ServerDependencies,
      'launches' | 'machines' | 'tails' | 'worktrees' | 'fileOperations' | 'landings'
    >,
    Pick<AgentCalls, 'lastSeen' | 'waitingCalls'> {
  /**
   * Stops: reports not ready, closes live connections, answers waiting calls, serves requests for
   * `lingerMs` and longer while they come, then stops accepting and finishes running requests.
   * Takes at most a few seconds (OP2).
   */
  close(lingerMs?: number): Promise<void>
}

const usualSignIns = signInRules(
  configRules['sign_in.idle_days'].fallback,
  configRules['sign_in.most_days'].fallback,
)
/** SE8: anybody can cause them. */
const failedSignInsLoggedAMinute = 60

/** Time for running requests to finish. */
const drainMs = 5000
/**
 * A load balancer that sends nothing for this long has noticed the stop; the total wait is limited.
 */
const quietMs = 400
const maxLingerMs = 4000
/** Time for connections accepted before the port closed to send their request. */
export const firstWordMs = 250

const isProbe = (url = ''): boolean =>
  url === '/readyz' || url === '/healthz' || url.startsWith('/metrics')

export async function startListeners(options: ListenersOptions): Promise<Listeners> {
  const {
    listener,
    doors,
    ownerTokenHash,
    coordinatorRules,
    folderRules,
    expectsCoordinator = false,
    signInRules: rules = usualSignIns,
    ...given
  } = options
  const { detectAgents = async () => ({ items: [], missing: [] }), store, clock, seals } = given
  const { logger, version, publicUrl, trustedProxies = [] } = listener.options
  const basics = { store, clock, logger }
  const addressOf = clientAddress(trustedProxies)
  const credentials = new Credentials({ ...basics, ownerTokenHash, publicUrl, addressOf, rules })
  const tails = new Tails(basics)
  const machines = new LinkedMachines({ ...basics, tails, seals }, coordinatorRules)
  const coordinatorRequests = new CoordinatorRequests(store, clock)
  const hosts = new Hosts(store, seals, clock)
  const deps: ServerDependencies = {
    ...given,
    ...basics,
    app: new App(store),
    version,
    publicUrl,
    editorProgram: {
      command: process.execPath,
      args: [process.argv[1] ?? '', 'acp', '--data', resolve(folderRules.data)],
    },
    https: listener.https,
    credentials,
    loginLimit: new RateLimit(clock, loginAttemptsPerMinute),
    addressOf,
    failedSignIns: new SampledLog(logger, clock, failedSignInsLoggedAMinute),
    signInRules: rules,
    tails,
    connections: new Connections({ store, clock, credentials, tails }),
    panels: openPanels(basics),
    agents: new AgentCalls({ store, clock, tails }),
    launches: new Launches(store, coordinatorRules, machines, seals),
    machines,
    userSessions: new UserSessions({
      store,
      clock,
      expectsCoordinator,
      machines,
      projectRoots: folderRules.roots,
    }),
    worktrees: new Worktrees(store, coordinatorRequests),
    pastSessions: new PastSessionsOfMachines(store, coordinatorRequests),
    fileOperations: new FileOperations(store, coordinatorRequests),
    reviews: new Reviews(store, coordinatorRequests),
    landings: new Landings({ store, clock, coordinatorRequests, hosts }),
    hosts,
    folders: new ProjectFolders(store, folderRules),
    attached: attachedSessions(basics),
    figures: listener.figures,
    search: new SearchIndexer(basics),
    detectAgents,
    closing: false,
  }
  const app = buildApp({ deps, listener, doors })
  acceptSockets(listener.server, deps, listener.gate, doors)
  await app.ready()
  await deps.connections.start()
  await machines.start()
  deps.search.start()
  let askedAt = Number.NEGATIVE_INFINITY
  listener.handOver((request, response) => {
    if (deps.closing && !isProbe(request.url)) askedAt = clock.now()
    app.routing(request, response)
  })
  const after = (ms: number): Promise<void> =>
    new Promise((resolve) => void clock.after(ms, resolve))

  /**
   * SC3: gives load balancers time to notice that this node stops, and more while requests still
   * come.
   */
  async function linger(lingerMs: number): Promise<void> {
    const startedAt = clock.now()
    await after(lingerMs)
    for (;;) {
      const left = Math.min(askedAt + quietMs, startedAt + maxLingerMs) - clock.now()
      if (left <= 0) return
      await after(left)
    }
  }

  const { agents, launches, worktrees, fileOperations, landings } = deps
  const { lastSeen, waitingCalls } = agents
  return {
    lastSeen,
    waitingCalls,
    launches,
    machines,
    tails,
    worktrees,
    fileOperations,
    landings,
    async close(lingerMs = 0) {
      deps.closing = true
      machines.stop()
      listener.connections.beginDrain()
      agents.close()
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
