/**
 * SP14: one MCP tool call beside a bare POST of the same bytes. The tool is `get_next_action`, the one that agents call most: its
 * caller is found by its credential, and what it should do is read from the store.
 */
import { join } from 'node:path'
import { type BenchAgent, openOffice } from './chat/office.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { KeepAlive } from './harness/keep-alive.ts'
import { startProcess } from './harness/server-process.ts'

const bareServer = join(import.meta.dirname, 'bare', 'durable-post-server.cjs')
const callsPerRound = 500

const calls = (name: string, connection: KeepAlive, bytes: Buffer): Contender => ({
  name,
  round: async () => {
    const from = performance.now()
    for (let call = 0; call < callsPerRound; call++) await connection.ask(bytes)
    return ((performance.now() - from) * 1000) / callsPerRound
  },
})

export const toolCall: readonly Comparison[] = [
  {
    title: '[SP14] an MCP tool call: get_next_action',
    unit: 'µs',
    goal: { kind: 'cost', limit: 1.8 },
    prepare: async () => {
      const folder = benchFolder()
      const office = await openOffice(folder.path)
      const agent = office.agents[0] as BenchAgent
      const bare = await startProcess((port) => [bareServer, String(port)], { path: '/' })
      const connection = await KeepAlive.open(bare.port)
      const bytes = agent.call('get_next_action')
      return {
        ours: calls('holdfast', agent.connection, bytes),
        yardstick: calls('bare POST', connection, bytes),
        close: async () => {
          connection.close()
          await Promise.all([office.close(), bare.stop()])
          folder.remove()
        },
      }
    },
  },
]
