/**
 * SP10: the memory of the server for each agent that waits: in a held call of `get_next_action`,
 * beside a bare POST that is held; or spawned into a role and ready to be prompted, beside a bare
 * WebSocket, which is what it would need with a connection of its own.
 */
import { join } from 'node:path'
import { type Office, openOffice } from './chat/office.ts'
import { Audience } from './harness/audience.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { openHoldfast } from './harness/holdfast.ts'
import { KeepAlive, requestBytes } from './harness/keep-alive.ts'
import { PlayedCoordinator, playedLabel } from './harness/played-coordinator.ts'
import { Relay } from './harness/relay.ts'
import { type ServerProcess, startProcess } from './harness/server-process.ts'

const bareSockets = join(import.meta.dirname, 'bare', 'fan-out-server.cjs')
const bareServer = join(import.meta.dirname, 'bare', 'holding-server.cjs')
const calls = 400
/** User sessions of a round, and agents in each: they stay, so that there are ever more of them. */
const consoles = 10
const roles = 20

interface Server {
  readonly process: ServerProcess
  /** The bytes of the nth call. */
  readonly call: (nth: number) => Buffer
  /** Resolves when it holds so many. */
  readonly holds: (calls: number) => Promise<unknown>
}

/**
 * KiB for each call and the connection it came on; when their clients hang up, nothing of them is
 * left.
 */
const held = (name: string, { process: server, call, holds }: Server): Contender => ({
  name,
  round: async () => {
    const before = await server.memoryBytes()
    const clients: KeepAlive[] = []
    for (let nth = 0; nth < calls; nth++) {
      const client = await KeepAlive.open(server.port)
      // Never answered: its client hangs up.
      client.ask(call(nth)).catch(() => undefined)
      clients.push(client)
    }
    await holds(calls)
    const after = await server.memoryBytes()
    for (const client of clients) client.close()
    await holds(0)
    return (after - before) / 1024 / calls
  },
})

const ours = ({ server, agents, holds }: Office): Contender =>
  held('holdfast', {
    process: server,
    call: (nth) => agents[nth]?.call('get_next_action', { wait_seconds: 50 }) as Buffer,
    holds,
  })

async function bare(): Promise<Contender & { close: () => Promise<void> }> {
  const server = await startProcess((port) => [bareServer, String(port)], {
    path: '/',
    watched: true,
  })
  const asking = await KeepAlive.open(server.port)
  const bytes = requestBytes('POST', '/hold', { wait: 50 })(server.port)
  const howMany = requestBytes('GET', '/held')(server.port)
  const contender = held('bare POST, held', {
    process: server,
    call: () => bytes,
    holds: async (count) => {
      while ((await asking.ask(howMany)) !== `held ${count}`);
    },
  })
  return {
    ...contender,
    close: async () => {
      asking.close()
      await server.stop()
    },
  }
}

interface Warm extends Contender {
  readonly close: () => Promise<void>
}

/** KiB for each agent that is ready and has nothing to do; nobody watches by then. */
async function warm(data: string): Promise<Warm> {
  const { server, token, person, asked } = await openHoldfast(data, true)
  const { id: projectId } = await asked<{ id: string }>('POST', '/api/projects', { name: 'bench' })
  const program = { protocol: 'acp', command: 'played', args: [], runsOn: playedLabel }
  await asked('POST', '/api/agents', { id: 'played', name: 'played', ...program })
  await asked('PUT', `/api/projects/${projectId}/agents/played`, {})
  const machine = await asked<{ token: string }>('POST', '/api/tokens', {
    name: 'played',
    kind: 'coordinator',
  })
  const coordinator = await PlayedCoordinator.connect(server.port, machine.token)
  return {
    name: 'holdfast',
    round: async () => {
      const before = await server.memoryBytes()
      for (let nth = 0; nth < consoles; nth++) {
        const relay = await Relay.open(server.port, token)
        const { sessionId: userSessionId } = await relay.say(
          { type: 'session:create', projectId },
          'session:created',
        )
        for (let role = 0; role < roles; role++)
          await relay.say(
            {
              type: 'agent:spawn',
              ['sessionId']: userSessionId,
              role: `role-${role}`,
              agentId: 'played',
            },
            'agent:ready',
          )
        relay.close()
      }
      return ((await server.memoryBytes()) - before) / 1024 / consoles / roles
    },
    close: async () => {
      coordinator.close()
      person.close()
      await server.stop()
    },
  }
}

async function openSockets(): Promise<Warm> {
  const server = await startProcess((port) => [bareSockets, String(port)], {
    path: '/',
    watched: true,
  })
  return {
    name: 'bare WebSocket, open',
    round: async () => {
      const audience = new Audience()
      const before = await server.memoryBytes()
      await audience.seat(`ws://127.0.0.1:${server.port}`, calls)
      const after = await server.memoryBytes()
      audience.leave()
      return (after - before) / 1024 / calls
    },
    close: () => server.stop(),
  }
}

export const heldCalls: readonly Comparison[] = [
  {
    title: '[SP10] memory of the server for each held MCP call',
    unit: 'KiB',
    goal: { kind: 'most', limit: 96 },
    prepare: async () => {
      const folder = benchFolder()
      const office = await openOffice(folder.path, calls, true)
      // They come back each on a connection of its own.
      for (const { connection } of office.agents) connection.close()
      const yardstick = await bare()
      return {
        ours: ours(office),
        yardstick,
        close: async () => {
          await Promise.all([office.close(), yardstick.close()])
          folder.remove()
        },
      }
    },
  },
  {
    title: '[SP10] memory of the server for each warm agent that is spoken to',
    unit: 'KiB',
    goal: { kind: 'most', limit: 8 },
    prepare: async () => {
      const folder = benchFolder()
      const [ours, yardstick] = await Promise.all([warm(folder.path), openSockets()])
      return {
        ours,
        yardstick,
        close: async () => {
          await Promise.all([ours.close(), yardstick.close()])
          folder.remove()
        },
      }
    },
  },
]
