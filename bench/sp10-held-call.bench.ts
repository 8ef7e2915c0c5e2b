/** SP10: the memory of the server for each agent that waits in a held call of `get_next_action`, beside a bare POST that is held. */
import { join } from 'node:path'
import { type Office, openOffice } from './chat/office.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { KeepAlive, requestBytes } from './harness/keep-alive.ts'
import { type ServerProcess, startProcess } from './harness/server-process.ts'

const bareServer = join(import.meta.dirname, 'bare', 'holding-server.cjs')
const calls = 400

interface Server {
  readonly process: ServerProcess
  /** The bytes of the nth call. */
  readonly call: (nth: number) => Buffer
  /** Resolves when it holds so many. */
  readonly holds: (calls: number) => Promise<unknown>
}

/** KiB for each call and the connection it came on; when their clients hang up, nothing of them is left. */
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
  const server = await startProcess((port) => [bareServer, String(port)], { path: '/', watched: true })
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
]
