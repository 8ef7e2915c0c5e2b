/**
 * The doors, put together behind their front. They are given everything they need (src/compose) and hold no state that another
 * node would miss.
 */
import type { Clock } from '../platform/clock.ts'
import type { Store } from '../store/store.ts'
import { AgentCalls } from './agents/agent-calls.ts'
import type { HeldCalls } from './agents/held-calls.ts'
import type { LastSeen } from './agents/last-seen.ts'
import { type CoordinatorRules, Launches } from './agents/launches.ts'
import { Questions } from './agents/questions.ts'
import { UserSessions } from './agents/user-sessions.ts'
import { Worktrees } from './agents/worktrees.ts'
import type { Doors, FilesBeside } from './doors.ts'
import type { Front } from './front.ts'
import { buildApp } from './http/app.ts'
import { AttachedSessions } from './live/attached-sessions.ts'
import { Connections } from './live/connections.ts'
import { OpenPanels } from './live/open-panels.ts'
import { Tails } from './live/tail.ts'
import { SearchIndexer } from './search/indexer.ts'
import { Credentials } from './security/credentials.ts'
import { loginAttemptsPerMinute, RateLimit } from './security/rate-limit.ts'
import { openSocketDoor } from './websocket/door.ts'

export interface DoorsParts {
  readonly front: Front
  readonly store: Store
  readonly clock: Clock
  readonly ownerTokenHash: string
  readonly files: FilesBeside
  readonly coordinatorRules: CoordinatorRules
  /** One is started beside this server. */
  readonly expectsCoordinator?: boolean | undefined
  /** Looks for installed agents; none are looked for when it is left out. */
  readonly detectAgents?: Doors['detectAgents'] | undefined
}

export interface OpenDoors {
  /** When agents were last heard of, and which of them wait, for who sweeps their sessions and processes. */
  readonly lastSeen: LastSeen
  readonly held: HeldCalls
  readonly launches: Launches
  readonly tails: Tails
  /**
   * Is not ready any more, says goodbye to who is connected, answers whoever waits; serves what still comes for `lingerMs`, then accepts
   * nothing and finishes what is in flight. Never takes longer than a few seconds (OP2).
   */
  close(lingerMs?: number): Promise<void>
}

/** Requests in flight have this long to finish. */
const drainMs = 5000

export async function openDoors(parts: DoorsParts): Promise<OpenDoors> {
  const { front, store, clock, ownerTokenHash, files, coordinatorRules, detectAgents = async () => [] } = parts
  const { expectsCoordinator = false } = parts
  const { logger, version, publicUrl, behindProxy } = front.parts
  const credentials = new Credentials(store, ownerTokenHash, publicUrl)
  const tails = new Tails({ store, clock, logger })
  const doors: Doors = {
    store,
    clock,
    logger,
    version,
    publicUrl,
    https: front.https,
    credentials,
    loginLimit: new RateLimit(clock, loginAttemptsPerMinute),
    tails,
    connections: new Connections({ store, clock, credentials, tails }),
    panels: new OpenPanels({ store, clock, logger }),
    agents: new AgentCalls({ store, clock, tails }),
    launches: new Launches(store, coordinatorRules),
    files,
    userSessions: new UserSessions({ store, clock, expectsCoordinator }),
    worktrees: new Worktrees(store, new Questions(store, clock)),
    attached: new AttachedSessions({ store, clock, logger }),
    figures: front.figures,
    search: new SearchIndexer({ store, clock, logger }),
    detectAgents,
    closing: false,
  }
  const app = buildApp({ doors, front, behindProxy })
  openSocketDoor(front.server, doors, front.gate)
  await app.ready()
  await doors.connections.start()
  doors.search.start()
  front.lead((request, response) => {
    // What comes next on this connection goes elsewhere.
    if (doors.closing) response.shouldKeepAlive = false
    app.routing(request, response)
  })

  return {
    lastSeen: doors.agents.lastSeen,
    held: doors.agents.held,
    launches: doors.launches,
    tails,
    async close(lingerMs = 0) {
      doors.closing = true
      doors.agents.close()
      doors.panels.close()
      doors.attached.close()
      const goodbye = doors.connections.close()
      // SC3: whoever sends us requests is told that we go, and has the time to notice.
      if (lingerMs > 0) await new Promise<void>((resolve) => clock.after(lingerMs, resolve))
      const closed = Promise.all([front.close(), app.close()])
      await goodbye
      const giveUp = clock.after(drainMs, () => front.server.closeAllConnections())
      front.server.closeIdleConnections()
      await closed
      giveUp()
      await doors.search.stop()
    },
  }
}
