/**
 * SP14: one MCP tool call beside a bare POST of the same body, both as MCP clients make them, with
 * `fetch`. The tool is `get_next_action`, the one that agents call most: its caller is found by its
 * credential, and what it should do is read from the store.
 */
import { join } from 'node:path'
import { type BenchAgent, openOffice } from './chat/office.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { startProcess } from './harness/server-process.ts'

const bareServer = join(import.meta.dirname, 'bare', 'durable-post-server.cjs')
const callsPerRound = 300

function calls(name: string, port: number, passkey: string): Contender {
  const url = `http://127.0.0.1:${port}/mcp`
  const accept = 'application/json, text/event-stream'
  const headers = { authorization: `Bearer ${passkey}`, accept, 'content-type': 'application/json' }
  const params = { name: 'get_next_action', arguments: {} }
  let sent = 0
  return {
    name,
    round: async () => {
      const from = performance.now()
      for (let call = 0; call < callsPerRound; call++) {
        const body = JSON.stringify({ jsonrpc: '2.0', id: ++sent, method: 'tools/call', params })
        const { id } = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
          id: number
        }
        if (id !== sent) throw new Error(`${name} answered another call`)
      }
      return ((performance.now() - from) * 1000) / callsPerRound
    },
  }
}

export const toolCall: readonly Comparison[] = [
  {
    title: '[SP14] an MCP tool call: get_next_action',
    unit: 'µs',
    goal: { kind: 'cost', limit: 1.8 },
    prepare: async () => {
      const folder = benchFolder()
      const office = await openOffice(folder.path)
      const { passkey } = office.agents[0] as BenchAgent
      const bare = await startProcess((port) => [bareServer, String(port)], { path: '/' })
      return {
        ours: calls('holdfast', office.server.port, passkey),
        yardstick: calls('bare POST', bare.port, passkey),
        close: async () => {
          await Promise.all([office.close(), bare.stop()])
          folder.remove()
        },
      }
    },
  },
]
