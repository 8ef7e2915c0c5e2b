/**
 * Locks that are found by running, on PostgreSQL: runs that are abandoned, alone and in groups, on
 * one node and on two.
 */
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { projectStream } from '../../src/domain/stream-name.ts'
import { LockCache } from '../../src/store/postgres/stream-locks.ts'
import type { Store } from '../../src/store/store.ts'
import { newPostgresStoreUrl, newPostgresUrl, usePostgres } from '../support/postgres.ts'
import { proxyTo } from '../support/postgres-proxy.ts'
import { openPostgres } from '../support/postgres-store.ts'
import { countIn, upTo } from './lock-contract.ts'
import {
  countUpBelow,
  countUpUnnamed,
  followRemembered,
  lockEverNew,
  point,
  readOwnWriteThenLock,
  writeThenLock,
} from './lock-use-cases.ts'
import { countUp, receipt } from './use-cases.ts'

usePostgres()

async function deadlocksOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  const { rows } = await client.query(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.deadlocks)
}

test('[RE4] 1,000 use cases on two nodes meet locks in any order, none deadlocks', async () => {
  const url = await newPostgresStoreUrl()
  const nodes = [await openPostgres({ url }), await openPostgres({ url })]
  const before = await deadlocksOf(url)
  const ids = ['a', 'b', 'c', 'd']
  const writer = async (store: Store, order: string[]): Promise<void> => {
    for (let i = 0; i < 125; i++) await store.run(countUpUnnamed, { ids: order })
  }
  const orders = [ids, ids.toReversed()]
  const writers = nodes.flatMap((store) => [...orders, ...orders].map((ids) => writer(store, ids)))
  await Promise.all(writers)
  for (const id of ids) {
    const events = (await nodes[0]?.eventsAfter(projectStream(id), 0, 2000)) ?? []
    expect(events.map(({ seq }) => seq)).toEqual(upTo(1000))
  }
  expect(nodes.map((store) => store.figures().retried)).toEqual([0, 0])
  expect(nodes.every((store) => store.figures().abandoned > 0)).toBe(true)
  expect(await deadlocksOf(url)).toBe(before)
})

test('[RE4] a limit over two streams holds, whichever node decides', async () => {
  const url = await newPostgresStoreUrl()
  const nodes = [await openPostgres({ url }), await openPostgres({ url })]
  const tried = upTo(60).flatMap((each) => {
    const [id = '', other = ''] = each % 2 === 0 ? ['a', 'b'] : ['b', 'a']
    return nodes.map((store) => store.run(countUpBelow, { id, other, limit: 50 }))
  })
  const settled = await Promise.allSettled(tried)
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
})

test('[SC2] a use case that meets new streams in each run is refused as busy', async () => {
  const store = await openPostgres({ url: await newPostgresStoreUrl() })
  const refused = { code: 'busy', message: 'lock-ever-new needed other locks in each of 8 runs' }
  await expect(store.run(lockEverNew, { id: 'a' })).rejects.toMatchObject(refused)
  expect(store.figures().abandoned).toBe(7)
  expect(await store.streamsAfter('', 100)).toEqual([])
})

/** Known to the node, so that use cases about them share transactions. */
async function openWith(url: string, ids: readonly string[]): Promise<Store> {
  const store = await openPostgres({ url })
  for (const id of ids) await store.run(countUp, { id })
  return store
}

const pairs = upTo(6).map((each) => [`p${each}`, `q${each}`] as const)

test('[SC2] a member that meets another stream is run alone; its group is committed', async () => {
  const store = await openWith(await newPostgresStoreUrl(), pairs.flat())
  const before = store.figures()
  const answers = await Promise.all(
    pairs.map(([id, other], at) =>
      at % 2 === 0
        ? store.run(writeThenLock, { id, other })
        : store.run(countUp, { id }).then(({ count }) => count),
    ),
  )
  expect(answers).toEqual(pairs.map(() => 2))
  expect(await Promise.all(pairs.map(([id]) => countIn(store, id)))).toEqual(pairs.map(() => 2))
  const { commits, abandoned, retried } = store.figures()
  expect(abandoned - before.abandoned).toBe(3)
  expect(retried).toBe(0)
  // Three alone, and at least two of the others together.
  expect(commits - before.commits).toBeLessThan(6)
})

test('[SC2] a member that reads its own write and then meets a stream runs alone', async () => {
  const store = await openWith(await newPostgresStoreUrl(), pairs.flat())
  const answers = await Promise.all(
    pairs.map(([id, other], at) =>
      at === 1
        ? store.run(readOwnWriteThenLock, { id, other })
        : store.run(countUp, { id }).then(({ count }) => count),
    ),
  )
  expect(answers).toEqual(pairs.map(() => 2))
  expect(await Promise.all(pairs.map(([id]) => countIn(store, id)))).toEqual(pairs.map(() => 2))
  expect(await store.positions(pairs.map(([id]) => projectStream(id)))).toEqual(
    pairs.map(() => ({ head: 2, floor: 0 })),
  )
})

test('[RE1] a commit without an answer is found by its receipt, also after a rerun', async () => {
  const proxy = await proxyTo(await newPostgresUrl())
  const store = await openPostgres({ url: proxy.url })
  await store.run(countUpUnnamed, { ids: ['a', 'b'] })
  const cut = proxy.cutNext('after-commit')
  expect(await store.run(countUpUnnamed, { ids: ['b', 'a'] }, receipt('k'))).toEqual([2, 2])
  await cut
  expect(await countIn(store, 'a')).toBe(2)
})

test('[SC2] the locks of a key’s last commit are taken first, and wrong ones found', async () => {
  const store = await openPostgres({ url: await newPostgresStoreUrl() })
  for (const id of ['x', 'y']) await store.run(point, { id, to: id })
  await store.run(point, { id: 'a', to: 'x' })
  const abandonedIn = async (work: () => Promise<unknown>): Promise<number> => {
    const before = store.figures().abandoned
    await work()
    return store.figures().abandoned - before
  }
  const follow = () => store.run(followRemembered, { id: 'a' })
  expect(await abandonedIn(follow)).toBe(1)
  expect(await abandonedIn(follow)).toBe(0)
  await store.run(point, { id: 'a', to: 'y' })
  expect(await abandonedIn(follow)).toBe(1)
  expect(await abandonedIn(follow)).toBe(0)
  expect([await countIn(store, 'x'), await countIn(store, 'y')]).toEqual([2, 2])
})

test('[SC2] locks are remembered for 10,000 keys, the newest', () => {
  const cache = new LockCache()
  const commit = (id: string): void =>
    cache.committed(followRemembered, { id }, new Set([projectStream(id)]))
  for (const each of upTo(10_000)) commit(`${each}`)
  commit('1')
  commit('one more')
  const guessed = (id: string) => cache.guess(followRemembered, { id })
  expect(guessed('2')).toEqual([])
  expect(guessed('1')).toEqual([projectStream('1')])
  expect(guessed('one more')).toEqual([projectStream('one more')])
  expect(cache.guess(countUpUnnamed, { ids: ['1'] })).toEqual([])
})
