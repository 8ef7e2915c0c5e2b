/**
 * SP4: from `agent:spawn` until the agent is ready, told to the person who asked. Beside the same agent started by hand: from the
 * spawn until it has answered the same two questions. What lies between the two is ours. Shown with the quickest
 * agent that can be, a script of thirty lines, and with the one Holdfast brings along, which is made as agents are: with the SDK of the
 * protocol.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { findPackageRoot } from '../src/platform/package-root.ts'
import type { Comparison, Contender, Contest } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { KeepAlive, requestBytes } from './harness/keep-alive.ts'
import { Relay } from './harness/relay.ts'
import { holdfastCommand, ownerTokenIn, startProcess } from './harness/server-process.ts'
import { median } from './harness/statistics.ts'
import type { Goal } from './harness/verdict.ts'

/** What is run by this very Node. */
type Agent = readonly string[]
const bareScript: Agent = [join(import.meta.dirname, 'bare', 'acp-agent.cjs')]
const demoAgent: Agent = [join(findPackageRoot().folder, 'dist', 'server', 'main.js'), 'demo-acp']
/** The start of an agent varies by more than what is ours: so many, that their median does not. */
const spawnsPerRound = 11
/** Before each, so that nothing of the one before is still being cleared away. */
const restMs = 100
const role = 'bench'
const goal: Goal = { kind: 'cost', limit: 1.1 }

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

function byHand(command: Agent, folder: string, port: number): Contender {
  // As it is told where our tools are.
  const headers = [{ name: 'Authorization', value: 'Bearer by-hand' }]
  const mcpServers = [{ type: 'http', name: 'holdfast', url: `http://127.0.0.1:${port}/mcp`, headers }]
  return {
    name: 'the agent started and greeted by hand',
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < spawnsPerRound; nth++) {
        await pause(restMs)
        const from = performance.now()
        const agent = spawn(process.execPath, command, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
        const lines = createInterface(agent.stdout)
        await asked(agent, lines, { id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } })
        await asked(agent, lines, { id: 1, method: 'session/new', params: { cwd: folder, mcpServers } })
        times.push(performance.now() - from)
        agent.kill('SIGKILL')
        await once(agent, 'close')
      }
      return median(times)
    },
  }
}

interface Question {
  readonly id: number
  readonly method: string
  readonly params: object
}

function asked(agent: ChildProcess, lines: NodeJS.EventEmitter, question: Question): Promise<void> {
  agent.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...question })}\n`)
  return new Promise((resolve) => {
    // Its other words are not the answer.
    const hear = (line: string): void => {
      if (JSON.parse(line).id !== question.id) return
      lines.off('line', hear)
      resolve()
    }
    lines.on('line', hear)
  })
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function contest(command: Agent): Promise<Contest> {
  const folder = benchFolder()
  const server = await startProcess(holdfastCommand(folder.path), { path: '/readyz' })
  const token = ownerTokenIn(folder.path)
  const person = await KeepAlive.open(server.port)
  const send = <Answer>(method: string, path: string, body: object): Promise<Answer> =>
    person.json(requestBytes(method, path, body, { token }))
  const { id: projectId } = await send<{ id: string }>('POST', '/api/projects', { name: 'bench' })
  await send('POST', '/api/agents', { id: 'bench', name: 'bench', protocol: 'acp', command: process.execPath, args: command })
  await send('PUT', `/api/projects/${projectId}/agents/bench`, {})
  const isConnected = async (): Promise<boolean> =>
    (await person.ask(requestBytes('GET', '/api/coordinators', undefined, { token })(server.port))).includes('"connected"')
  while (!(await isConnected())) await turn()
  const relay = await Relay.open(server.port, token)
  const { sessionId: userSessionId } = await relay.say({ type: 'session:create', projectId }, 'session:created')
  return {
    ours: ordered(relay, userSessionId),
    yardstick: byHand(command, folder.path, server.port),
    close: async () => {
      relay.close()
      person.close()
      await server.stop()
      folder.remove()
    },
  }
}

export const spawns: readonly Comparison[] = [
  { title: '[SP4] a bare script, from the order to ready', unit: 'ms', goal, prepare: () => contest(bareScript) },
  { title: "[SP4] Holdfast's own agent, from the order to ready", unit: 'ms', goal, prepare: () => contest(demoAgent) },
]
