/**
 * SC1: several nodes on one PostgreSQL. What they append together, beside as many threads with the
 * driver alone; and how long an event takes from its commit on one node to a WebSocket of another
 * (the 99th of a hundred), beside a NOTIFY that is held back for as long and a read.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { WebSocket } from 'ws'
import { createClient } from '../src/client/client.ts'
import { productFolder } from '../test/faults/build.ts'
import { startPostgres } from '../test/faults/postgres-for-faults.ts'
import { startServer } from '../test/faults/server-process.ts'
import type { NodeParts } from './append/node.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { ours } from './sp05-append-postgres.bench.ts'

const writersPerNode = 32
const poolSize = 20
const appendsPerRound = 4608
const eventsPerRound = 100
/** As long as the doorbells of a node are gathered. */
const gatherMs = 15
/** So long after one event the next is made: the poll and the doorbell of the last are over. */
const betweenMs = 20

interface Nodes {
  readonly rate: () => Promise<number>
  readonly close: () => Promise<void>
}

async function openNodes(kind: NodeParts['kind'], url: string, nodes: number): Promise<Nodes> {
  await (await ours(url, nodes * writersPerNode)).close()
  const workers = Array.from({ length: nodes }, (_, node) => {
    const workerData: NodeParts = {
      kind,
      url,
      first: node * writersPerNode,
      writers: writersPerNode,
      poolSize,
    }
    return new Worker(new URL('./append/node.ts', import.meta.url), { workerData })
  })
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  const ask = (appends: number): Promise<unknown> =>
    Promise.all(
      workers.map((worker) => {
        worker.postMessage(appends)
        return once(worker, 'message')
      }),
    )
  return {
    rate: async () => {
      const from = performance.now()
      await ask(Math.ceil(appendsPerRound / nodes))
      return (appendsPerRound * 1000) / (performance.now() - from)
    },
    close: async () => {
      await ask(0)
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}

const throughput = (nodes: number): Comparison => ({
  title: `[SC1] durable append on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${writersPerNode} writers each`,
  unit: 'appends/s',
  goal: { kind: 'rate', limit: 0.7 },
  prepare: async () => {
    const postgres = await startPostgres()
    const store = await openNodes('ours', await postgres.newUrl(), nodes)
    const driver = await openNodes('bare', await postgres.newUrl(), nodes)
    return {
      ours: { name: 'nodes', round: store.rate },
      yardstick: { name: `bare pg, ${writersPerNode} to a commit`, round: driver.rate },
      close: async () => {
        await store.close()
        await driver.close()
        await postgres.stop()
      },
    }
  },
})

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0

/** From the answer to a write on one node to the event on a WebSocket of another. */
async function acrossNodes(url: string): Promise<Contender & { close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-nodes-'))
  const token = 'a-token-that-both-nodes-share-0123456789'
  const env = {
    DATABASE_URL: url,
    HOLDFAST_TOKEN: token,
    HOLDFAST_LOG_LEVEL: 'error',
    HOLDFAST_DRAIN_SECONDS: '0',
  }
  const nodes = await Promise.all(
    ['a', 'b'].map((name) => startServer(productFolder, join(folder, name), 0, env)),
  )
  const [a = '', b = ''] = await Promise.all(nodes.map(async ({ ready }) => (await ready).url))
  const client = createClient({ url: a, token })
  const socket = new WebSocket(`${b.replace('http', 'ws')}/ws`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  const awaited = new Map<string, (at: number) => void>()
  socket.on('message', (data) => {
    const at = performance.now()
    const name = /"name":"(timed \d+)"/.exec(String(data))?.[1] ?? ''
    awaited.get(name)?.(at)
    awaited.delete(name)
  })
  socket.send(JSON.stringify({ type: 'subscribe', streams: ['home'] }))
  let made = 0
  return {
    name: 'a node’s WebSocket',
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < eventsPerRound; nth++) {
        const name = `timed ${++made}`
        const seen = new Promise<number>((resolve) => awaited.set(name, resolve))
        await client.post('/api/projects', { body: { name } })
        const committedAt = performance.now()
        times.push(Math.max(0, (await seen) - committedAt))
        await pause(betweenMs)
      }
      return p99(times)
    },
    close: async () => {
      socket.terminate()
      for (const { child } of nodes) child.kill('SIGTERM')
      await Promise.all(nodes.map(({ exited }) => exited))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A row, then a NOTIFY that was held back, then a read of the row on another connection. */
async function bareBell(url: string): Promise<Contender & { close(): Promise<void> }> {
  const clients = Array.from({ length: 4 }, () => new pg.Client({ connectionString: url }))
  for (const client of clients) await client.connect()
  const [writer, bell, listener, reader] = clients as [pg.Client, pg.Client, pg.Client, pg.Client]
  await writer.query('create table rung (n bigint primary key, body text)')
  await listener.query('listen rung')
  let n = 0
  return {
    name: `bare NOTIFY after ${gatherMs} ms`,
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < eventsPerRound; nth++) {
        await writer.query('insert into rung values ($1, $2)', [++n, 'x'.repeat(300)])
        const from = performance.now()
        const heard = once(listener, 'notification')
        await pause(gatherMs)
        await bell.query("select pg_notify('rung', 'x')")
        await heard
        await reader.query('select * from rung where n = $1', [n])
        times.push(performance.now() - from)
        await pause(betweenMs)
      }
      return p99(times)
    },
    close: async () => {
      for (const client of clients) await client.end()
    },
  }
}

const commitToSocket: Comparison = {
  title: '[SC1] from a commit on one node to a WebSocket of another, p99',
  unit: 'ms',
  goal: { kind: 'cost', limit: 2 },
  prepare: async () => {
    const postgres = await startPostgres()
    const across = await acrossNodes(await postgres.newUrl())
    const bell = await bareBell(await postgres.newUrl())
    return {
      ours: across,
      yardstick: bell,
      close: async () => {
        await across.close()
        await bell.close()
        await postgres.stop()
      },
    }
  },
}

export const nodes: readonly Comparison[] = [
  throughput(1),
  throughput(2),
  throughput(3),
  commitToSocket,
]
