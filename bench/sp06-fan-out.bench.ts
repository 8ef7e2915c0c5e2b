/**
 * SP6: the server's processor time for one event that many WebSockets hear. Ours is the whole way of a change: request,
 * commit, doorbell, log, sockets. The yardstick is posted the same message and does nothing but serialise it and send it.
 */
import { join } from 'node:path'
import { Audience } from './harness/audience.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { holdfastCommand, ownerTokenIn, type ServerProcess, startProcess } from './harness/server-process.ts'
import { flat } from './harness/verdict.ts'

const bareServer = join(import.meta.dirname, 'bare', 'fan-out-server.cjs')
/** One after the other: events that come together could be sent together, which is not what is measured. */
const eventsPerRound = 20

interface Stage extends Contender {
  readonly newest: () => string
  readonly close: () => Promise<void>
}

/** Processor milliseconds of the server for each event. */
function stage(name: string, server: ServerProcess, audience: Audience, change: (nth: number) => Promise<unknown>): Stage {
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

async function send(url: string, method: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(url, { method, body, headers: { 'content-type': 'application/json', ...headers } })
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${await response.text()}`)
  return response
}

async function ourStage(data: string, listeners: number): Promise<Stage> {
  const server = await startProcess(holdfastCommand(data), { path: '/readyz', watched: true })
  const headers = { authorization: `Bearer ${ownerTokenIn(data)}` }
  const url = `http://127.0.0.1:${server.port}`
  const made = await send(`${url}/api/projects`, 'POST', JSON.stringify({ name: 'fan-out' }), headers)
  const { id } = (await made.json()) as { id: string }
  const audience = new Audience()
  const say = JSON.stringify({ type: 'subscribe', streams: ['home'] })
  await audience.seat(`ws://127.0.0.1:${server.port}/ws`, listeners, { headers, say })
  const change = (nth: number): Promise<Response> =>
    send(`${url}/api/projects/${id}`, 'PATCH', JSON.stringify({ name: `fan-out ${nth}` }), headers)
  return stage('holdfast', server, audience, change)
}

async function bareStage(message: () => string, listeners: number): Promise<Stage> {
  const server = await startProcess((port) => [bareServer, String(port)], { path: '/', watched: true })
  const audience = new Audience()
  await audience.seat(`ws://127.0.0.1:${server.port}`, listeners)
  return stage('bare ws', server, audience, () => send(`http://127.0.0.1:${server.port}`, 'POST', message()))
}

const fanOut = (listeners: number): Comparison => ({
  title: `[SP6] fan-out of an event to ${listeners.toLocaleString('en-US')} WebSockets, server's processor time`,
  unit: 'ms',
  goal: { kind: 'cost', limit: 1.3 },
  prepare: async () => {
    const folder = benchFolder()
    const ours = await ourStage(folder.path, listeners)
    await ours.round()
    const yardstick = await bareStage(ours.newest, listeners)
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
    const [many, few] = await Promise.all([ourStage(folders[0].path, 1000), ourStage(folders[1].path, 100)])
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

export const fanOuts: readonly Comparison[] = [fanOut(1000), growth]
