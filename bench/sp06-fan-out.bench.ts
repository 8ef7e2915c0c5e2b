/**
 * SP6: the server's processor time for one event that many WebSockets hear. Ours is the whole way
 * of a change: request, commit, doorbell, log, sockets. The yardstick is posted the same message
 * and does nothing but serialise it and send it. Over the relay the event is a piece of what an
 * agent says, from the coordinator's link to everybody who watches the console.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Audience } from './harness/audience.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { openHoldfast } from './harness/holdfast.ts'
import { Relay } from './harness/relay.ts'
import {
  holdfastCommand,
  ownerTokenIn,
  type ServerProcess,
  startProcess,
} from './harness/server-process.ts'
import { flat } from './harness/verdict.ts'

const bareServer = join(import.meta.dirname, 'bare', 'fan-out-server.cjs')
const agentScript = join(import.meta.dirname, 'bare', 'acp-agent.cjs')
/**
 * One after the other: events that come together could be sent together, which is not what is
 * measured.
 */
const eventsPerRound = 20
/** What an agent says is told so often (RL3). */
const piecesEveryMs = 50

interface Stage extends Contender {
  readonly newest: () => string
  readonly close: () => Promise<void>
}

/** Processor milliseconds of the server for each event. */
function stage(
  name: string,
  server: ServerProcess,
  audience: Audience,
  change: (nth: number) => Promise<unknown>,
): Stage {
  let nth = 0
  return {
    name,
    newest: () => audience.newest,
    round: async () => {
      const before = await server.cpuMs()
      for (let event = 0; event < eventsPerRound; event++) {
        const heard = audience.hears(1)
        await Promise.all([heard, change(++nth)])
      }
      return ((await server.cpuMs()) - before) / eventsPerRound
    },
    close: async () => {
      audience.leave()
      await server.stop()
    },
  }
}

async function send(
  url: string,
  method: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await fetch(url, {
    method,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${await response.text()}`)
  return response
}

async function ourStage(data: string, listeners: number): Promise<Stage> {
  const server = await startProcess(holdfastCommand(data), { path: '/readyz', watched: true })
  const headers = { authorization: `Bearer ${ownerTokenIn(data)}` }
  const url = `http://127.0.0.1:${server.port}`
  const made = await send(
    `${url}/api/projects`,
    'POST',
    JSON.stringify({ name: 'fan-out' }),
    headers,
  )
  const { id } = (await made.json()) as { id: string }
  const audience = new Audience()
  const say = JSON.stringify({ type: 'subscribe', streams: ['home'] })
  await audience.seat(`ws://127.0.0.1:${server.port}/ws`, listeners, { headers, say })
  const change = (nth: number): Promise<Response> =>
    send(`${url}/api/projects/${id}`, 'PATCH', JSON.stringify({ name: `fan-out ${nth}` }), headers)
  return stage('holdfast', server, audience, change)
}

/** A real agent speaks, one piece each time it is told to. */
async function consoleStage(data: string, listeners: number): Promise<Stage> {
  const { server, token, person, asked } = await openHoldfast(data, true)
  const { id: projectId } = await asked<{ id: string }>('POST', '/api/projects', {
    name: 'fan-out',
  })
  const prompter = createServer().listen(0, '127.0.0.1')
  await once(prompter, 'listening')
  const { port: prompterPort } = prompter.address() as AddressInfo
  const program = {
    protocol: 'acp',
    command: process.execPath,
    args: [agentScript, String(prompterPort)],
  }
  await asked('POST', '/api/agents', { id: 'speaker', name: 'speaker', ...program })
  await asked('PUT', `/api/projects/${projectId}/agents/speaker`, {})
  const relay = await Relay.open(server.port, token)
  const role = 'speaker'
  const { sessionId: userSessionId } = await relay.say(
    { type: 'session:create', projectId },
    'session:created',
  )
  const about = { sessionId: userSessionId }
  const { seq } = await relay.say({ type: 'agent:spawn', ...about, role }, 'agent:ready')
  const audience = new Audience()
  const say = JSON.stringify({ type: 'session:resume', ...about, lastSeq: seq })
  await audience.seat(`ws://127.0.0.1:${server.port}/ws`, listeners, {
    headers: { authorization: `Bearer ${token}` },
    say,
  })
  const connected = once(prompter, 'connection') as Promise<[Socket]>
  const received = audience.hears(1)
  await relay.say({ type: 'agent:message', ...about, role, content: 'speak' }, 'agent:prompted')
  const [agent] = await connected
  await received
  const { close, ...said } = stage('holdfast', server, audience, async () => {
    agent.write('.')
  })
  return {
    ...said,
    close: async () => {
      relay.close()
      person.close()
      agent.destroy()
      prompter.close()
      await close()
    },
  }
}

/**
 * With a rest before each, where ours has one: sockets that were idle take another time than those
 * that are still busy.
 */
async function bareStage(message: () => string, listeners: number, restMs: number): Promise<Stage> {
  const server = await startProcess((port) => [bareServer, String(port)], {
    path: '/',
    watched: true,
  })
  const audience = new Audience()
  await audience.seat(`ws://127.0.0.1:${server.port}`, listeners)
  return stage('bare ws', server, audience, async () => {
    if (restMs > 0) await pause(restMs)
    return send(`http://127.0.0.1:${server.port}`, 'POST', message())
  })
}

const fanOut = (
  what: string,
  listeners: number,
  open: typeof ourStage,
  restMs = 0,
): Comparison => ({
  title: `[SP6] fan-out of ${what} to ${listeners.toLocaleString('en-US')} WebSockets, server's processor time`,
  unit: 'ms',
  goal: { kind: 'cost', limit: 1.3 },
  prepare: async () => {
    const folder = benchFolder()
    const ours = await open(folder.path, listeners)
    await ours.round()
    const yardstick = await bareStage(ours.newest, listeners, restMs)
    return {
      ours,
      yardstick,
      close: async () => {
        await Promise.all([ours.close(), yardstick.close()])
        folder.remove()
      },
    }
  },
})

const growth: Comparison = {
  title: '[SP6] processor time for each of 1,000 listeners, beside each of 100',
  unit: 'µs',
  goal: flat,
  prepare: async () => {
    const folders = [benchFolder(), benchFolder()] as const
    const perListener = (each: Stage, listeners: number, name: string): Contender => ({
      name,
      round: async () => ((await each.round()) * 1000) / listeners,
    })
    const [many, few] = await Promise.all([
      ourStage(folders[0].path, 1000),
      ourStage(folders[1].path, 100),
    ])
    return {
      ours: perListener(many, 1000, '1,000 listeners'),
      yardstick: perListener(few, 100, '100 listeners'),
      close: async () => {
        await Promise.all([many.close(), few.close()])
        for (const folder of folders) folder.remove()
      },
    }
  },
}

export const fanOuts: readonly Comparison[] = [
  fanOut('an event', 1000, ourStage),
  fanOut('what an agent says', 1000, consoleStage, piecesEveryMs),
  growth,
]
