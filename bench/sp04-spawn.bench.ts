/**
 * SP4: from `agent:spawn` until the agent is ready, told to the person who asked. Beside the same agent started by hand: from the
 * spawn until it has answered the same two questions. What lies between the two is ours.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { KeepAlive, requestBytes } from './harness/keep-alive.ts'
import { Relay } from './harness/relay.ts'
import { holdfastCommand, ownerTokenIn, startProcess } from './harness/server-process.ts'
import { median } from './harness/statistics.ts'

const agentScript = join(import.meta.dirname, 'bare', 'acp-agent.cjs')
const spawnsPerRound = 5
/** Before each, so that nothing of the one before is still being cleared away. */
const restMs = 100
const role = 'bench'

function ordered(relay: Relay, userSessionId: unknown): Contender {
  return {
    name: 'holdfast',
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < spawnsPerRound; nth++) {
        await pause(restMs)
        const from = performance.now()
        await relay.say({ type: 'agent:spawn', sessionId: userSessionId, role }, 'agent:ready')
        times.push(performance.now() - from)
        await relay.say({ type: 'agent:terminate', sessionId: userSessionId, role }, 'agent:terminated')
      }
      return median(times)
    },
  }
}

function byHand(folder: string): Contender {
  return {
    name: 'the agent started and greeted by hand',
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < spawnsPerRound; nth++) {
        await pause(restMs)
        const from = performance.now()
        const agent = spawn(process.execPath, [agentScript], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
        const lines = createInterface(agent.stdout)
        await asked(agent, lines, { id: 0, method: 'initialize', params: { protocolVersion: 1 } })
        await asked(agent, lines, { id: 1, method: 'session/new', params: { cwd: folder, mcpServers: [] } })
        times.push(performance.now() - from)
        agent.kill('SIGKILL')
        await once(agent, 'close')
      }
      return median(times)
    },
  }
}

async function asked(agent: ChildProcess, lines: NodeJS.EventEmitter, question: object): Promise<void> {
  agent.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...question })}\n`)
  await once(lines, 'line')
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const spawns: readonly Comparison[] = [
  {
    title: '[SP4] an agent that is spoken to, from the order to ready',
    unit: 'ms',
    goal: { kind: 'cost', limit: 1.1 },
    prepare: async () => {
      const folder = benchFolder()
      const server = await startProcess(holdfastCommand(folder.path), { path: '/readyz' })
      const token = ownerTokenIn(folder.path)
      const person = await KeepAlive.open(server.port)
      const send = <Answer>(method: string, path: string, body: object): Promise<Answer> =>
        person.json(requestBytes(method, path, body, { token }))
      const { id: projectId } = await send<{ id: string }>('POST', '/api/projects', { name: 'bench' })
      await send('POST', '/api/agents', {
        id: 'bare',
        name: 'bare',
        protocol: 'acp',
        command: process.execPath,
        args: [agentScript],
      })
      await send('PUT', `/api/projects/${projectId}/agents/bare`, {})
      const isConnected = async (): Promise<boolean> =>
        (await person.ask(requestBytes('GET', '/api/coordinators', undefined, { token })(server.port))).includes('"connected"')
      while (!(await isConnected())) await turn()
      const relay = await Relay.open(server.port, token)
      const { sessionId: userSessionId } = await relay.say({ type: 'session:create', projectId }, 'session:created')
      return {
        ours: ordered(relay, userSessionId),
        yardstick: byHand(folder.path),
        close: async () => {
          relay.close()
          person.close()
          await server.stop()
          folder.remove()
        },
      }
    },
  },
]
