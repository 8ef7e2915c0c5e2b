/**
 * SP4: from `agent:spawn` until the agent is ready, told to the person who asked. Beside the same
 * agent started by hand: from the spawn until it has answered the same two questions. What lies
 * between the two is ours. Shown with the quickest agent that can be, a script of thirty lines,
 * with the one Holdfast brings along, which is made as agents are: with the SDK of the protocol;
 * and with the real ones that are found on the PATH or in `REAL_AGENTS_FOLDER` (test/real-agents).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { agentEnvironment } from '../src/coordinator/agent-environment.ts'
import { findPackageRoot } from '../src/platform/files/package-root.ts'
import { entryOf, type InstalledAgent, installedAgents } from '../test/real-agents/installed.ts'
import { startModel } from '../test/real-agents/model/scripted-model.ts'
import type { Comparison, Contender, Contest } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { openHoldfast } from './harness/holdfast.ts'
import { Relay } from './harness/relay.ts'
import { median } from './harness/statistics.ts'
import type { Goal } from './harness/verdict.ts'

interface Agent {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly spawnsPerRound: number
  readonly close?: () => Promise<void>
}

/**
 * The start of a quick agent varies by more than what is ours: so many, that their median does not.
 */
const spawnsOfQuick = 11
const spawnsOfReal = 3
const scriptOf = (...args: string[]): Agent => ({
  command: process.execPath,
  args,
  env: {},
  spawnsPerRound: spawnsOfQuick,
})
const bareScript = scriptOf(join(import.meta.dirname, 'bare', 'acp-agent.cjs'))
const demoAgent = scriptOf(join(findPackageRoot().folder, 'dist', 'server', 'main.js'), 'demo-acp')
/**
 * Before each, so that nothing of the one before is still being cleared away, or written into files
 * (the mirror gathers for 250 ms).
 */
const restMs = 400
const role = 'bench'
const goal: Goal = { kind: 'cost', limit: 1.1 }

/** With a home of its own, and a model that nobody pays for. */
async function realAgent({ program, recipe }: InstalledAgent): Promise<Agent> {
  const [home, model] = [benchFolder(), await startModel()]
  const { command, args, env } = entryOf(program, recipe, home.path, model.url)
  const close = async (): Promise<void> => {
    await model.close()
    home.remove()
  }
  return { command, args, env, spawnsPerRound: spawnsOfReal, close }
}

function ordered({ spawnsPerRound }: Agent, relay: Relay, userSessionId: unknown): Contender {
  return {
    name: 'holdfast',
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < spawnsPerRound; nth++) {
        await pause(restMs)
        const from = performance.now()
        await relay.say({ type: 'agent:spawn', sessionId: userSessionId, role }, 'agent:ready')
        times.push(performance.now() - from)
        await relay.say(
          { type: 'agent:terminate', sessionId: userSessionId, role },
          'agent:terminated',
        )
      }
      return median(times)
    },
  }
}

/**
 * With the same environment as under Holdfast: some look at it for what they must do at their
 * start.
 */
function byHand(
  { command, args, env, spawnsPerRound }: Agent,
  folder: string,
  port: number,
  passkey: string,
): Contender {
  // As it is told where our tools are.
  const headers = [{ name: 'Authorization', value: `Bearer ${passkey}` }]
  const particulars = {
    env,
    secrets: { environment: {}, files: {} },
    agentId: role,
    projectId: role,
    launchToken: passkey,
  }
  const given = agentEnvironment(
    process.env,
    particulars,
    { launchId: role, folderId: role },
    `http://127.0.0.1:${port}`,
    {},
  )
  const options = { cwd: folder, stdio: 'pipe', detached: true, env: given } as const
  const mcpServers = [
    { type: 'http', name: 'holdfast', url: `http://127.0.0.1:${port}/mcp`, headers },
  ]
  return {
    name: 'the agent started and greeted by hand',
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < spawnsPerRound; nth++) {
        await pause(restMs)
        const from = performance.now()
        const agent = spawn(command, args, options)
        agent.stderr.resume()
        const lines = createInterface(agent.stdout)
        await asked(agent, lines, {
          id: 0,
          method: 'initialize',
          params: { protocolVersion: 1, clientCapabilities: {} },
        })
        await asked(agent, lines, {
          id: 1,
          method: 'session/new',
          params: { cwd: folder, mcpServers },
        })
        times.push(performance.now() - from)
        // With all it has started.
        process.kill(-(agent.pid ?? 0), 'SIGKILL')
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
    // Other lines of the agent are not the answer.
    const hear = (line: string): void => {
      if (JSON.parse(line).id !== question.id) return
      lines.off('line', hear)
      resolve()
    }
    lines.on('line', hear)
  })
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function contest(agent: Agent): Promise<Contest> {
  const folder = benchFolder()
  const { server, token, person, asked: send } = await openHoldfast(folder.path, false)
  const { id: projectId } = await send<{ id: string }>('POST', '/api/projects', { name: 'bench' })
  const { command, args, env } = agent
  const entry = { id: 'bench', name: 'bench', protocol: 'acp', command, args, env }
  const { passkey } = await send<{ passkey: string }>('POST', '/api/agents', entry)
  await send('PUT', `/api/projects/${projectId}/agents/bench`, {})
  const isConnected = async (): Promise<boolean> => {
    const { items } = await send<{ items: { state: string }[] }>('GET', '/api/coordinators')
    return items.some(({ state }) => state === 'connected')
  }
  while (!(await isConnected())) await turn()
  const relay = await Relay.open(server.port, token)
  const { sessionId: userSessionId } = await relay.say(
    { type: 'session:create', projectId },
    'session:created',
  )
  return {
    ours: ordered(agent, relay, userSessionId),
    yardstick: byHand(agent, folder.path, server.port, passkey),
    close: async () => {
      relay.close()
      person.close()
      await server.stop()
      folder.remove()
      await agent.close?.()
    },
  }
}

const comparison = (which: string, prepare: Comparison['prepare']): Comparison => ({
  title: `[SP4] ${which}, from the order to ready`,
  unit: 'ms',
  goal,
  prepare,
})

export const spawns: readonly Comparison[] = [
  comparison('a bare script', () => contest(bareScript)),
  comparison("Holdfast's own agent", () => contest(demoAgent)),
  ...installedAgents().map((each) =>
    comparison(`a real agent (${each.name})`, async () => contest(await realAgent(each))),
  ),
]
