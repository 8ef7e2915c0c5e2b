/**
 * SP15: a model's answer through the gateway, beside a bare proxy: its first byte, and the
 * processor time of a stream.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { pathOf, startModelService } from '../test/support/model-service.ts'
import type { Comparison, Contender, Contest } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { median } from './harness/statistics.ts'

const answersPerRound = 60
const streamsPerRound = 25

interface Proxy {
  readonly name: string
  readonly port: number
  readonly token: string
  readonly child: ChildProcess
}

async function proxyOf(name: string, file: string, args: readonly string[]): Promise<Proxy> {
  const child = fork(join(import.meta.dirname, file), args)
  const [{ port, token = '' }] = (await once(child, 'message')) as [
    { port: number; token?: string },
  ]
  return { name, port, token, child }
}

/** Resolves with the time to the first byte of the body, when all of it was read. */
function ask({ port, token }: Proxy, agent: Agent, doing: string): Promise<number> {
  const headers = { 'x-api-key': token, 'content-type': 'application/json', 'x-do': doing }
  const from = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request(
      { port, method: 'POST', path: pathOf('anthropic', 'm'), headers, agent },
      (came) => {
        if (came.statusCode !== 200) reject(new Error(`answered ${came.statusCode}`))
        let first = 0
        came.on('data', () => {
          first ||= performance.now() - from
        })
        came.once('end', () => resolve(first))
      },
    )
    asked.once('error', reject).end('{"model":"m","stream":true,"messages":[]}')
  })
}

async function cpuOf({ child }: Proxy): Promise<number> {
  child.send('cpu')
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: NodeJS.CpuUsage }]
  return (cpu.user + cpu.system) / 1000
}

const firstByte = (proxy: Proxy, agent: Agent): Contender => ({
  name: proxy.name,
  round: async () => {
    const times: number[] = []
    for (let nth = 0; nth < answersPerRound; nth++) times.push(await ask(proxy, agent, ''))
    return median(times)
  },
})

const processorTime = (proxy: Proxy, agent: Agent): Contender => ({
  name: proxy.name,
  round: async () => {
    const before = await cpuOf(proxy)
    for (let nth = 0; nth < streamsPerRound; nth++) await ask(proxy, agent, 'paced')
    return ((await cpuOf(proxy)) - before) / streamsPerRound
  },
})

const prepare = (contender: typeof firstByte) => async (): Promise<Contest> => {
  const [model, folder, agent] = [
    await startModelService({ words: 20, text: 'some words' }),
    benchFolder(),
    new Agent({ keepAlive: true }),
  ]
  const ours = await proxyOf('gateway', 'gateway/gateway-process.ts', [
    model.url,
    join(folder.path, 'spool'),
  ])
  const bare = await proxyOf('bare proxy', 'bare/proxy.cjs', [model.url])
  const close = async (): Promise<void> => {
    for (const { child } of [ours, bare]) child.disconnect()
    agent.destroy()
    await model.close()
    folder.remove()
  }
  return { ours: contender(ours, agent), yardstick: contender(bare, agent), close }
}

export const gateway: readonly Comparison[] = [
  {
    title: '[SP15] first byte of an answer',
    unit: 'ms',
    goal: { kind: 'over', limit: 1 },
    prepare: prepare(firstByte),
  },
  {
    title: '[SP15] processor time of a stream of 2,000 events',
    unit: 'ms',
    goal: { kind: 'cost', limit: 1.3 },
    prepare: prepare(processorTime),
  },
]
