/** RE4 on both engines. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { type OrderingResult, ordering } from '../ordering/ordering.ts'
import {
  idCursor,
  productReader,
  type StartReader,
  timeCursor,
  withoutPoll,
} from '../ordering/readers.ts'
import { type BenchPostgres, startPostgres } from '../postgres-for-faults.ts'
import type { Result } from '../table.ts'
import { type Part, timed } from './part.ts'

const controlEvents = 4000
const controlPatienceMs = 2000

type Run = (
  startReader: StartReader,
  events: number,
  patienceMs?: number,
) => Promise<OrderingResult>

async function rowOf(
  test: string,
  seed: string,
  run: Run,
  events: number,
  control: readonly [string, StartReader],
): Promise<Result> {
  return timed(async () => {
    const done = await run(productReader, events)
    const [name, reader] = control
    const wrong = await run(reader, controlEvents, controlPatienceMs)
    const deaf = await run(withoutPoll, controlEvents, controlPatienceMs)
    const points = `${done.events} events, 8 readers saw ${done.seen}, ${done.reconnects} reconnects, ${done.rolledBack} roll-backs`
    const controls = [
      { name, caught: wrong.tally.lost > 0 },
      { name: 'no poll behind the doorbell', caught: deaf.tally.lost > 0 },
    ]
    return { rule: 'RE4', test, points, seed, tally: done.tally, controls }
  })
}

const onSqlite =
  (seed: string): Run =>
  async (startReader, events, patienceMs) => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-order-'))
    const writerUrl = new URL('../../store/writer.ts', import.meta.url)
    const store = await openSqliteStore({
      file: join(folder, 'holdfast.db'),
      clock: systemClock,
      writerUrl,
    })
    try {
      return await ordering({ seed, events, write: store, read: store, startReader, patienceMs })
    } finally {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    }
  }

/** Two nodes: one writes, the other reads. */
const onPostgres =
  (seed: string, postgres: BenchPostgres): Run =>
  async (startReader, events, patienceMs) => {
    const url = await postgres.newUrl()
    const nodes: Store[] = []
    try {
      const write = await openPostgresStore({ url })
      nodes.push(write)
      const read = await openPostgresStore({ url })
      nodes.push(read)
      if (startReader === idCursor)
        await postgres.execute(url, 'alter table events add column id bigserial')
      return await ordering({ seed, events, write, read, startReader, patienceMs })
    } finally {
      for (const node of nodes) await node.close()
    }
  }

export const order: Part = async ({ seed, points }) => {
  const sqlite = await rowOf('order, SQLite', seed, onSqlite(seed), points(200_000), [
    'cursor by time',
    timeCursor,
  ])
  const postgres = await startPostgres()
  try {
    const run = onPostgres(seed, postgres)
    return [
      sqlite,
      await rowOf('order, PostgreSQL, two nodes', seed, run, points(200_000), [
        'cursor by id (bigserial)',
        idCursor,
      ]),
    ]
  } finally {
    await postgres.stop()
  }
}
