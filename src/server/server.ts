/**
 * The server: its doors put together, opened and closed. It is given everything it needs (compose.ts) and holds no state
 * that another node would miss.
 */
import type { AddressInfo } from 'node:net'
import { BlockList, isIP } from 'node:net'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { StartFailure } from '../platform/start-failure.ts'
import type { Store } from '../store/store.ts'
import type { Doors } from './doors.ts'
import { buildApp } from './http/app.ts'
import { Figures } from './http/figures.ts'
import { Gate } from './http/gate.ts'
import { Connections } from './live/connections.ts'
import { Tails } from './live/tail.ts'
import { Credentials } from './security/credentials.ts'
import { hostAndOrigin } from './security/host-and-origin.ts'
import { loginAttemptsPerMinute, RateLimit } from './security/rate-limit.ts'
import { openSocketDoor } from './websocket/door.ts'

export interface ServerParts {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly ownerTokenHash: string
  readonly listen: { readonly host: string; readonly port: number }
  readonly publicUrl: string | null
  readonly behindProxy: boolean
  /** The built page; null serves none. */
  readonly pageFolder: string | null
  readonly version: string
}

export interface HoldfastServer {
  /** Where it answers, once it listens. */
  readonly url: string
  listen(): Promise<void>
  /** Stops accepting, finishes what is in flight, says goodbye to who is connected; never takes longer than a few seconds (OP2). */
  close(): Promise<void>
}

/** Requests in flight have this long to finish. */
const drainMs = 5000

export async function createServer(parts: ServerParts): Promise<HoldfastServer> {
  const { store, clock, logger, listen, publicUrl, behindProxy, version } = parts
  refuseOpenListening(listen.host, behindProxy)
  const credentials = new Credentials(store, parts.ownerTokenHash, publicUrl)
  const tails = new Tails({ store, clock, logger })
  const doors: Doors = {
    store,
    clock,
    logger,
    version,
    https: publicUrl?.startsWith('https:') ?? false,
    credentials,
    loginLimit: new RateLimit(clock, loginAttemptsPerMinute),
    tails,
    connections: new Connections({ store, clock, credentials, tails }),
    figures: new Figures(),
    closing: false,
  }
  const gate = new Gate(doors)
  const app = buildApp({ doors, gate, behindProxy, pageFolder: parts.pageFolder })
  openSocketDoor(app.server, doors, gate)

  return {
    get url() {
      const { port } = app.server.address() as AddressInfo
      return `http://${urlHost(listen.host)}:${port}`
    },

    async listen() {
      await app.ready()
      await doors.connections.start()
      // The name would be looked up, and could mean another machine.
      await app.listen({ host: listen.host === 'localhost' ? '127.0.0.1' : listen.host, port: listen.port })
      gate.open(hostAndOrigin((app.server.address() as AddressInfo).port, publicUrl))
    },

    async close() {
      doors.closing = true
      const closed = app.close()
      await doors.connections.close()
      const { server } = app
      const giveUp = clock.after(drainMs, () => server.closeAllConnections())
      server.closeIdleConnections()
      await closed
      giveUp()
    },
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** SE2: what other machines can reach needs TLS in front of it. */
function refuseOpenListening(host: string, behindProxy: boolean): void {
  const family = isIP(host)
  const local = host === 'localhost' || (family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4'))
  if (local || behindProxy) return
  throw new StartFailure(
    `Listening on ${host} would let other machines in without encryption.`,
    'Listen on 127.0.0.1, or put a TLS proxy in front and say so with --behind-proxy.',
  )
}

function urlHost(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return isIP(host) === 6 ? `[${host}]` : host
}
