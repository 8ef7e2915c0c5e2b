/**
 * Tests of the job lease (SC5): one node at a time runs the background jobs, and another takes over
 * when it stops.
 */
import { expect, test } from 'vitest'
import { epochMs } from '../../src/domain/instant.ts'
import { JobLease, leaseMs } from '../../src/jobs/job-lease.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import { type Clock, systemClock } from '../../src/platform/time/clock.ts'
import { holdLease } from '../../src/services/system/leases.ts'
import type { Store } from '../../src/store/store.ts'
import { type ManualClock, manualClock } from '../support/manual-clock.ts'
import { newPostgresStoreUrl, usePostgres } from '../support/postgres.ts'
import { openPostgres } from '../support/postgres-store.ts'
import { openTestStore } from '../support/store.ts'

usePostgres()

const logger = createLogger({ level: 'silent', format: 'json' })

function nodeOn(store: Store, holder: string, clock: Clock) {
  const node = {
    begun: 0,
    ended: 0,
    failsToEnd: false,
    clock: undefined as Clock | undefined,
    lease: undefined as unknown as JobLease,
  }
  const startJobs = async (jobClock: Clock) => {
    node.begun++
    node.clock = jobClock
    return async () => {
      node.ended++
      if (node.failsToEnd) throw new Error('away')
    }
  }
  node.lease = new JobLease({ store, clock, logger, holder, startJobs })
  return node
}

/** The database has one clock, each node its own. */
const openNodes = async (): Promise<{
  time: ManualClock
  a: ReturnType<typeof nodeOn>
  b: ReturnType<typeof nodeOn>
}> => {
  const { store, clock } = await openTestStore()
  return { time: clock, a: nodeOn(store, 'a', clock), b: nodeOn(store, 'b', clock) }
}

test('[SC5] one node runs the jobs, and another takes them when handed over', async () => {
  const { a, b } = await openNodes()
  await a.lease.renew()
  await b.lease.renew()
  expect([a.begun, b.begun]).toEqual([1, 0])
  await a.lease.stop()
  expect(a.ended).toBe(1)
  await b.lease.renew()
  expect(b.begun).toBe(1)
})

test('[SC5] a node not heard of loses the jobs when its lease ends, and learns of it', async () => {
  const { time, a, b } = await openNodes()
  await a.lease.renew()
  time.advance(leaseMs - 1)
  await b.lease.renew()
  expect(b.begun).toBe(0)
  await a.lease.renew()
  time.advance(leaseMs)
  await b.lease.renew()
  expect(b.begun).toBe(1)
  // The first node was paused, and wakes up.
  await a.lease.renew()
  expect([a.begun, a.ended]).toEqual([1, 1])
  // What it gives back is not another's.
  await a.lease.stop()
  await a.lease.renew()
  expect(a.begun).toBe(1)
})

test('[SC5] a lease from before the clock was put back keeps the jobs from nobody', async () => {
  const { store, clock } = await openTestStore()
  const hourMs = 3_600_000
  await nodeOn(store, 'killed', clock).lease.renew()
  await store.run(holdLease, { name: 'duties', holder: 'killed', forMs: leaseMs + hourMs })
  const b = nodeOn(store, 'b', clock)
  await b.lease.renew()
  expect(b.begun).toBe(1)
})

test('[SC5] jobs that cannot be looked after end with the lease, not before', async () => {
  const { store, clock } = await openTestStore()
  let away = false
  const sometimes = {
    run: (...args: unknown[]) =>
      away ? Promise.reject(new Error('away')) : Reflect.apply(store.run, store, args),
  }
  const a = nodeOn(sometimes as unknown as Store, 'a', clock)
  await a.lease.renew()
  away = true
  // What is to be written down at their end cannot be: the node lives on.
  a.failsToEnd = true
  clock.advance(leaseMs - 1)
  await a.lease.renew()
  expect(a.ended).toBe(0)
  clock.advance(1)
  await a.lease.renew()
  expect(a.ended).toBe(1)
})

test('[SC5] the time of the jobs is the database’s, whatever a node’s clock says', async () => {
  const { store, clock } = await openTestStore()
  const wrong = manualClock(0)
  const node = nodeOn(store, 'a', wrong)
  await node.lease.renew()
  expect(node.clock?.now()).toBe(clock.now())
})

test('[SC5] exactly one of twelve nodes that look at once runs the jobs, every time', async () => {
  const url = await newPostgresStoreUrl()
  const stores = [
    await openPostgres({ url }),
    await openPostgres({ url }),
    await openPostgres({ url }),
  ]
  for (let round = 0; round < 5; round++) {
    const nodes = stores.flatMap((store, s) =>
      [0, 1, 2, 3].map((n) => nodeOn(store, `${round} ${s} ${n}`, systemClock)),
    )
    await Promise.all(nodes.map(({ lease }) => lease.renew()))
    const [holder, ...others] = nodes.filter(({ begun }) => begun > 0)
    expect(others).toEqual([])
    expect(Math.abs(epochMs(new Date().toISOString()) - (holder?.clock?.now() ?? 0))).toBeLessThan(
      60_000,
    )
    await holder?.lease.stop()
  }
})
