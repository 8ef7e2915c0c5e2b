/**
 * SP5 on PostgreSQL: what an append costs beside the driver alone. Ours takes the lock and the head, lets the use case decide,
 * then writes and commits: two round trips. The yardstick, on as many connections, puts the same rows into one statement, as
 * the one on SQLite does: it decides nothing. (The same two round trips by hand are no yardstick: ours came out up to 13 %
 * faster, because the driver ends each of its messages with a Sync and asks for a description each time.)
 */
import pg from 'pg'
import { openPostgresStore } from '../src/store/postgres/open-postgres-store.ts'
import { type BenchPostgres, startPostgres } from '../test/faults/postgres-for-faults.ts'
import { append, bodyFor, makeRow } from './append/use-cases.ts'
import { appendRate } from './append/writers.ts'
import type { Comparison } from './harness/comparison.ts'

const poolSize = 20
const appendsPerRound: Readonly<Record<number, number>> = { 1: 200, 16: 1_600, 64: 2_560, 256: 2_560 }

interface Appender {
  readonly append: (id: string) => Promise<unknown>
  readonly close: () => Promise<void>
}

export async function ours(url: string, writers: number): Promise<Appender> {
  const store = await openPostgresStore({ url, poolSize })
  for (let writer = 0; writer < writers; writer++) {
    await store.run(makeRow, { id: `w${writer}` })
    // The stream's first event makes its row, for both.
    await store.run(append, { id: `w${writer}` })
  }
  return { append: (id) => store.run(append, { id }), close: () => store.close() }
}

/** Head, event and state in one statement, which is its own transaction: one message there, one back, nothing is decided. */
const appendOne = `with moved as (update streams set head = head + 1 where name = $1 returning head),
  changed as (update projects set updated_at = $3 where id = $5)
  insert into events (stream, seq, type, at, data, ref_stream, ref_seq) select $1, head, $2, $3, $4, null, null from moved`

export async function bare(url: string, writers: number): Promise<Appender> {
  const clients = Array.from({ length: Math.min(writers, poolSize) }, () => new pg.Client({ connectionString: url }))
  for (const client of clients) await client.connect()
  const free = [...clients]
  const waiting: ((client: pg.Client) => void)[] = []
  const appendWith = (client: pg.Client, id: string): Promise<unknown> => {
    const now = new Date().toISOString()
    const values = [`project:${id}`, 'project-changed', now, JSON.stringify(bodyFor(id, now)), id]
    return client.query({ name: 'append', text: appendOne, values })
  }
  return {
    append: async (id) => {
      const client = free.pop() ?? (await new Promise<pg.Client>((resolve) => waiting.push(resolve)))
      await appendWith(client, id)
      const next = waiting.shift()
      if (next) next(client)
      else free.push(client)
    },
    close: async () => {
      for (const client of clients) await client.end()
    },
  }
}

async function prepareBoth(postgres: BenchPostgres, writers: number): Promise<readonly [Appender, Appender]> {
  const bareUrl = await postgres.newUrl()
  await (await ours(bareUrl, writers)).close()
  return [await ours(await postgres.newUrl(), writers), await bare(bareUrl, writers)]
}

const throughput = (writers: number): Comparison => ({
  title: `[SP5] durable append on PostgreSQL, ${writers} ${writers === 1 ? 'writer' : 'writers'}`,
  unit: 'appends/s',
  goal: { kind: 'rate', limit: writers === 1 ? 0.65 : 0.8 },
  prepare: async () => {
    const postgres = await startPostgres()
    const [store, driver] = await prepareBoth(postgres, writers)
    const appends = appendsPerRound[writers] ?? 0
    return {
      ours: { name: 'store.run', round: () => appendRate(store.append, writers, appends) },
      yardstick: { name: `bare pg, ${poolSize} connections`, round: () => appendRate(driver.append, writers, appends) },
      close: async () => {
        await Promise.all([store.close(), driver.close()])
        await postgres.stop()
      },
    }
  },
})

export const durableAppendOnPostgres: readonly Comparison[] = [1, 16, 64, 256].map(throughput)
