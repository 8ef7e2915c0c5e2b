/**
 * Several use cases in one transaction of PostgreSQL: each is decided, refused and answered as if
 * it were alone.
 */
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { Refusal } from '../../src/domain/errors.ts'
import { projectStream } from '../../src/domain/stream-name.ts'
import { statement } from '../../src/store/statement.ts'
import { defineUseCase, type Store } from '../../src/store/store.ts'
import { newPostgresStoreUrl, newPostgresUrl, usePostgres } from '../support/postgres.ts'
import { proxyTo } from '../support/postgres-proxy.ts'
import { openPostgres } from '../support/postgres-store.ts'
import { countUp, createRow, receipt, refuseAfterWriting, selectProject } from './use-cases.ts'

usePostgres()

const ids = Array.from({ length: 12 }, (_, index) => `p${index}`)

/** Only about streams that the node knows it puts several into one transaction. */
async function openWithStreams(url: string): Promise<Store> {
  const store = await openPostgres({ url })
  for (const id of ids) await store.run(countUp, { id })
  return store
}

const all = <T>(
  work: (id: string, index: number) => Promise<T>,
): Promise<PromiseSettledResult<T>[]> => Promise.allSettled(ids.map(work))

const countsOf = (store: Store): Promise<number[]> =>
  store.read((reader) =>
    Promise.all(
      ids.map(async (id) =>
        Number((await reader.first(selectProject, { id }))?.settings ?? Number.NaN),
      ),
    ),
  )

const headsOf = async (store: Store): Promise<number[]> =>
  (await store.positions(ids.map(projectStream))).map(({ head }) => head)

/** Writes, looks at what it has written, and refuses: too late to fail alone. */
const refuseAfterLooking = defineUseCase('refuse-after-looking', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string }) => [projectStream(id)],
  run: async (tx, { id }, context) => {
    await countUp.run(tx, { id }, context)
    const row = await tx.first(selectProject, { id })
    if (row?.settings !== '2') throw new Error(`did not see its own write, but ${row?.settings}`)
    return refuseAfterWriting.run(tx, { id }, context)
  },
})

const takeCount = statement<{ id: string }>()((db, p) =>
  db.updateTable('projects').set({ settings: '0' }).where('id', '=', p.id).returning('settings'),
)

/** Writes with a statement that returns rows, and refuses. */
const refuseAfterReturning = defineUseCase('refuse-after-returning', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string }) => [projectStream(id)],
  run: async (tx, { id }) => {
    await tx.all(takeCount, { id })
    throw new Refusal('invalid_name', 'refused on purpose', { id })
  },
})

/** Makes a row that is there already: only the database can say no. */
const createAgain = defineUseCase('create-again', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string }) => [projectStream(id)],
  run: (tx, { id }, context) => createRow.run(tx, { id }, context),
})

test('[SC2] use cases that wait together are committed together, answered apart', async () => {
  const store = await openWithStreams(await newPostgresStoreUrl())
  const before = store.figures()
  const answers = await all((id) => store.run(countUp, { id }))
  expect(answers).toEqual(ids.map(() => ({ status: 'fulfilled', value: { count: 2, seq: 2 } })))
  const { commits, useCases } = store.figures()
  expect(useCases - before.useCases).toBe(ids.length)
  expect(commits - before.commits).toBeLessThan(ids.length / 2)
})

test('[SC2] a refusal or a fault among others contributes nothing and leaves no hole', async () => {
  const store = await openWithStreams(await newPostgresStoreUrl())
  const settled = await all((id, at) =>
    at % 3 === 0
      ? store.run(refuseAfterWriting, { id, fault: at % 2 === 0 })
      : store.run(countUp, { id }),
  )
  expect(settled.map(({ status }) => status)).toEqual(
    ids.map((_, at) => (at % 3 === 0 ? 'rejected' : 'fulfilled')),
  )
  expect(settled[0]).toMatchObject({ reason: { message: 'a fault on purpose' } })
  expect(settled[3]).toMatchObject({ reason: { code: 'invalid_name', fields: { id: 'p3' } } })
  const expected = ids.map((_, at) => (at % 3 === 0 ? 1 : 2))
  expect(await countsOf(store)).toEqual(expected)
  expect(await headsOf(store)).toEqual(expected)
})

test('[SC2] a member that fails late or in the database takes nobody with it', async () => {
  const store = await openWithStreams(await newPostgresStoreUrl())
  // Far enough from each other to be in two transactions.
  const failing: Record<string, typeof refuseAfterLooking | typeof createAgain> = {
    p0: refuseAfterLooking,
    p11: createAgain,
  }
  const settled = await all((id) =>
    store.run<{ id: string }, unknown>(failing[id] ?? countUp, { id }),
  )
  expect(settled.map(({ status }) => status)).toEqual(
    ids.map((id) => (failing[id] ? 'rejected' : 'fulfilled')),
  )
  expect(settled[0]).toMatchObject({ reason: { code: 'invalid_name' } })
  expect(settled[11]).toMatchObject({ reason: { code: 'busy' } })
  const expected = ids.map((id) => (failing[id] ? 1 : 2))
  expect(await countsOf(store)).toEqual(expected)
  expect(await headsOf(store)).toEqual(expected)
})

test('[SC2] a refused use case leaves nothing of a statement that wrote and returned', async () => {
  const store = await openWithStreams(await newPostgresStoreUrl())
  const settled = await all((id) =>
    id === 'p3' ? store.run(refuseAfterReturning, { id }) : store.run(countUp, { id }),
  )
  expect(settled[3]).toMatchObject({ reason: { code: 'invalid_name' } })
  expect(await countsOf(store)).toEqual(ids.map((id) => (id === 'p3' ? 1 : 2)))
})

test('[RE4] a stream held by another node delays only those who ask for it', async () => {
  const url = await newPostgresStoreUrl()
  const store = await openWithStreams(url)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  onTestFinished(() => other.end())
  await other.query('begin')
  await other.query('select head from streams where name = $1 for update', [projectStream('p5')])
  let isHeld = true
  const running = all(async (id) => {
    const { seq } = await store.run(countUp, { id })
    return { seq, isHeld }
  })
  // Those that are not held up are done while the lock is held.
  await expect
    .poll(() => headsOf(store), { timeout: 8000 })
    .toEqual(ids.map((id) => (id === 'p5' ? 1 : 2)))
  await other.query('update streams set head = 7 where name = $1', [projectStream('p5')])
  isHeld = false
  await other.query('commit')
  const done = await running
  expect(done[5]).toEqual({ status: 'fulfilled', value: { seq: 8, isHeld: false } })
})

test('[RE4] two nodes on the same streams lose no update and make no hole', async () => {
  const url = await newPostgresStoreUrl()
  const nodes = [await openWithStreams(url), await openPostgres({ url })]
  const rounds = 15
  await Promise.all(
    nodes.map(async (store) => {
      for (let round = 0; round < rounds; round++) {
        const settled = await all((id) => store.run(countUp, { id }))
        expect(settled.filter(({ status }) => status === 'rejected')).toEqual([])
      }
    }),
  )
  const expected = ids.map(() => 1 + rounds * nodes.length)
  const [node] = nodes as [Store]
  expect(await countsOf(node)).toEqual(expected)
  expect(await headsOf(node)).toEqual(expected)
  expect(nodes.map((store) => store.figures().retried)).toEqual([0, 0])
  const events = await node.eventsAfter(projectStream('p0'), 0, 100)
  expect(events.map(({ seq }) => seq)).toEqual(
    Array.from({ length: expected[0] ?? 0 }, (_, index) => index + 1),
  )
})

test('[RE1] after a group’s commit without an answer, receipts tell what was done', async () => {
  const proxy = await proxyTo(await newPostgresUrl())
  const store = await openWithStreams(proxy.url)
  const cut = proxy.cutNext('after-commit')
  const settled = await all((id, at) =>
    store.run(countUp, { id }, at % 2 === 0 ? receipt(id) : undefined),
  )
  await cut
  settled.forEach((each, at) => {
    // One transaction was cut; who was in the other has its answer.
    if (at % 2 === 0 || each.status === 'fulfilled')
      expect(each).toMatchObject({ value: { count: 2, seq: 2 } })
    else
      expect(each).toMatchObject({
        reason: { code: 'store_unavailable', fields: { outcome: 'unknown' } },
      })
  })
  expect(settled.some(({ status }) => status === 'rejected')).toBe(true)
  expect(await countsOf(store)).toEqual(ids.map(() => 2))
})
