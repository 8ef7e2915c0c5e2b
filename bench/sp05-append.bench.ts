/**
 * SP5: what a durable append costs beside SQLite alone. Ours is the whole way: `store.run` on this
 * thread, a use case in the writer thread, group commit, and the acknowledgement back here. The
 * yardstick does the same rows with the same driver, schema and settings on this thread, as one
 * transaction for each batch of as many as there are writers, up to the store's own limit.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../src/platform/time/clock.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite-store.ts'
import type { Store } from '../src/store/store.ts'
import { append, bodyFor, makeRow } from './append/use-cases.ts'
import { appendAll, appendRate } from './append/writers.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { median } from './harness/statistics.ts'

const writerUrl = new URL('./append/writer.ts', import.meta.url)

/**
 * Long enough that one stall is a small part of a round, short enough that both meet the same
 * machine.
 */
const appendsPerRound: Readonly<Record<number, number>> = {
  1: 400,
  16: 4_000,
  64: 8_000,
  256: 8_192,
}

/** As many as the store puts into one commit. */
const maxBatch = 128

const openStore = (file: string): Promise<Store> =>
  openSqliteStore({ file, clock: systemClock, writerUrl })

async function newDatabase(file: string, writers: number): Promise<Store> {
  const store = await openStore(file)
  for (let writer = 0; writer < writers; writer++) await store.run(makeRow, { id: `w${writer}` })
  return store
}

/**
 * The rows of one append and nothing else: no thread, no use case, no lock, nobody to answer to.
 */
function bareAppends(file: string, writers: number): { round: () => void; close: () => void } {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  for (const setting of [
    'synchronous = full',
    'wal_autocheckpoint = 2000',
    'journal_size_limit = 33554432',
    'cache_size = -8192',
  ]) {
    db.exec(`pragma ${setting}`)
  }
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const state = db.prepare('update projects set updated_at = ? where id = ?')
  const event = db.prepare(
    'insert into events (stream, seq, type, at, data, ref_stream, ref_seq) values (?, ?, ?, ?, ?, ?, ?)',
  )
  const head = db.prepare(
    'insert into streams (name, head, floor) values (?, ?, 0) on conflict (name) do update set head = excluded.head',
  )
  const ids = Array.from({ length: writers }, (_, index) => `w${index}`)
  const batches = Array.from({ length: Math.ceil(writers / maxBatch) }, (_, nth) =>
    ids.slice(nth * maxBatch, (nth + 1) * maxBatch),
  )
  let seq = 0
  const commitBatch = (batch: readonly string[]): void => {
    const now = new Date().toISOString()
    begin.run()
    for (const id of batch) {
      state.run(now, id)
      event.run(
        `project:${id}`,
        seq,
        'project-changed',
        now,
        JSON.stringify(bodyFor(id, now)),
        null,
        null,
      )
      head.run(`project:${id}`, seq)
    }
    commit.run()
  }
  return {
    round: () => {
      for (let each = 0; each < (appendsPerRound[writers] ?? 0) / writers; each++) {
        seq++
        for (const batch of batches) commitBatch(batch)
      }
    },
    close: () => db.close(),
  }
}

const throughput = (writers: number): Comparison => ({
  title: `[SP5] durable append, ${writers} ${writers === 1 ? 'writer' : 'writers'}`,
  unit: 'appends/s',
  goal: { kind: 'rate', limit: writers === 1 ? 0.65 : 0.8 },
  prepare: async () => {
    const folder = benchFolder()
    const store = await newDatabase(join(folder.path, 'ours.db'), writers)
    await (await newDatabase(join(folder.path, 'bare.db'), writers)).close()
    const bare = bareAppends(join(folder.path, 'bare.db'), writers)
    const appends = appendsPerRound[writers] ?? 0
    return {
      ours: {
        name: 'store.run',
        round: () => appendRate((id) => store.run(append, { id }), writers, appends),
      },
      yardstick: {
        name: `bare node:sqlite, ${Math.min(writers, maxBatch)} to a commit`,
        round: async () => {
          const from = performance.now()
          bare.round()
          return (appends * 1000) / (performance.now() - from)
        },
      },
      close: async () => {
        bare.close()
        await store.close()
        folder.remove()
      },
    }
  },
})

/** One page appended and made durable, as SQLite does it at a commit. */
function fdatasyncs(file: string): Contender & { close: () => void } {
  const handle = openSync(file, 'w')
  const page = Buffer.alloc(4096)
  return {
    name: 'fdatasync of a page',
    round: async () => {
      const waits: number[] = []
      for (let i = 0; i < 200; i++) {
        writeSync(handle, page)
        const from = performance.now()
        fdatasyncSync(handle)
        waits.push(performance.now() - from)
      }
      return median(waits)
    },
    close: () => closeSync(handle),
  }
}

/**
 * The goal is 1.5 ms where fdatasync takes 0.13 ms; elsewhere in proportion to what it takes there.
 */
const acknowledgement: Comparison = {
  title: '[SP5] acknowledgement, median of 64 writers',
  unit: 'ms',
  goal: { kind: 'cost', limit: 1.5 / 0.13 },
  prepare: async () => {
    const folder = benchFolder()
    const store = await newDatabase(join(folder.path, 'ours.db'), 64)
    const ours = (): Promise<number[]> =>
      appendAll((id) => store.run(append, { id }), 64, appendsPerRound[64] ?? 0)
    const bare = fdatasyncs(join(folder.path, 'page'))
    return {
      ours: { name: 'store.run', round: async () => median(await ours()) },
      yardstick: bare,
      close: async () => {
        bare.close()
        await store.close()
        folder.remove()
      },
    }
  },
}

export const durableAppend: readonly Comparison[] = [
  ...[1, 16, 64, 256].map(throughput),
  acknowledgement,
]
