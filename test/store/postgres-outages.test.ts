/**
 * PostgreSQL goes away, connections are cut, commits are left without an answer: nothing is lost,
 * doubled or made up.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { ownerId } from '../../src/domain/access/caller.ts'
import { Refusal } from '../../src/domain/errors.ts'
import { projectStream } from '../../src/domain/stream-name.ts'
import { createProject } from '../../src/services/projects/change-project.ts'
import { backupPostgres, restorePostgres } from '../../src/store/postgres/backup.ts'
import { PostgresPool } from '../../src/store/postgres/pool.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryFile } from '../support/either-store.ts'
import { amount } from '../support/extent.ts'
import { ownTime } from '../support/own-time.ts'
import { newPostgresUrl, startOwnPostgres, usePostgres } from '../support/postgres.ts'
import { proxyTo } from '../support/postgres-proxy.ts'
import { openPostgres } from '../support/postgres-store.ts'
import { countUp, receipt } from './use-cases.ts'

usePostgres()

const isAwayAnswer = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'store_unavailable'

/** Every `by` in the log of the streams, and whether each stream is dense. */
async function logOf(
  store: Store,
  ids: readonly string[],
): Promise<{ by: string[]; dense: boolean }> {
  const by: string[] = []
  let dense = true
  for (const id of ids) {
    const events = await store.eventsAfter(projectStream(id), 0, 1_000_000)
    dense &&= events.every(({ seq }, index) => seq === index + 1)
    by.push(...events.map(({ data }) => (JSON.parse(data ?? '') as { by: string }).by))
  }
  return { by, dense }
}

describe('a commit whose answer never came', () => {
  test('[RE1] is not acknowledged, not run again, and says that it may have happened', async () => {
    const url = await newPostgresUrl()
    const proxy = await proxyTo(url)
    const store = await openPostgres({ url: proxy.url })
    await store.run(countUp, { id: 'a' })
    const cut = proxy.cutNext('after-commit')
    await expect(store.run(countUp, { id: 'a' })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('may or may not have been saved'),
      fields: { outcome: 'unknown' },
    })
    await cut
    // The write happened once; repeated silently it would be three.
    expect(await store.run(countUp, { id: 'a' })).toEqual({ count: 3, seq: 3 })
  })

  test.each([
    ['finds that it happened', 'after-commit'],
    ['happens once, cut off before its commit', 'before-commit'],
  ] as const)('[RE1] with a receipt is run again and %s', async (_, when) => {
    const url = await newPostgresUrl()
    const proxy = await proxyTo(url)
    const store = await openPostgres({ url: proxy.url })
    const cut = proxy.cutNext(when)
    expect(await store.run(countUp, { id: 'a' }, receipt('k'))).toEqual({ count: 1, seq: 1 })
    await cut
    expect(await store.positions([projectStream('a')])).toEqual([{ head: 1, floor: 0 }])
  })
})

describe('connections that are cut', () => {
  test('[RE4] under load every acknowledged event is there once; the node goes on', async () => {
    const url = await newPostgresUrl()
    const proxy = await proxyTo(url)
    const store = await openPostgres({ url: proxy.url, poolSize: 6 })
    const acknowledged: string[] = []
    const unknown: string[] = []
    const ids = ['a', 'b', 'c']
    const each = amount(30, 60)
    const writer = async (name: string): Promise<void> => {
      for (let i = 0; i < each; i++) {
        const by = `${name}-${i}`
        try {
          await store.run(countUp, { id: ids[i % 3] ?? '', by })
          acknowledged.push(by)
        } catch (error) {
          if (!isAwayAnswer(error)) throw error
          unknown.push(by)
        }
        if (i % 20 === 10 && name === 'w0') proxy.cutAll()
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, index) => writer(`w${index}`)))
    const { by, dense } = await logOf(store, ids)
    expect(dense).toBe(true)
    expect(new Set(by).size).toBe(by.length)
    expect(acknowledged.filter((each) => !by.includes(each))).toEqual([])
    // Nothing is there that was not asked for, and what is there beyond the acknowledged was said
    // to be unknown.
    expect(by.filter((each) => !acknowledged.includes(each) && !unknown.includes(each))).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(each * 6)
  })
})

describe('a PostgreSQL that goes away', () => {
  test('[RE1] a PostgreSQL stopped and started under load loses nothing acknowledged', async () => {
    const server = await startOwnPostgres()
    const store = await openPostgres({ url: server.url, patienceMs: 20_000 })
    const acknowledged: string[] = []
    let stopping = false
    const writer = async (id: string): Promise<void> => {
      for (let i = 0; !stopping; i++) {
        const by = `${id}-${i}`
        try {
          await store.run(countUp, { id, by })
          acknowledged.push(by)
        } catch (error) {
          if (!isAwayAnswer(error)) throw error
        }
      }
    }
    const ids = ['a', 'b', 'c', 'd']
    const writers = ids.map(writer)
    for (const signal of amount(
      ['SIGINT', 'SIGQUIT'] as const,
      ['SIGINT', 'SIGQUIT', 'SIGQUIT'] as const,
    )) {
      const before = acknowledged.length
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20)
      await server.stop(signal)
      await server.start()
    }
    const before = acknowledged.length
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20)
    stopping = true
    await Promise.all(writers)
    const { by, dense } = await logOf(store, ids)
    expect(dense).toBe(true)
    expect(new Set(by).size).toBe(by.length)
    expect(acknowledged.filter((each) => !by.includes(each))).toEqual([])
  }, 60_000)

  test('[RE3] requests are refused within their patience while it is away, not later', async () => {
    const server = await startOwnPostgres()
    const store = await openPostgres({ url: server.url, patienceMs: 300 })
    await store.run(countUp, { id: 'a' })
    await server.stop('SIGINT')
    const away = { code: 'store_unavailable' }
    await expect(store.run(countUp, { id: 'a' })).rejects.toMatchObject(away)
    await expect(store.check()).rejects.toMatchObject(away)
    await expect(store.read(async () => 1)).rejects.toMatchObject(away)
    const took = ownTime()
    await Promise.allSettled(Array.from({ length: 100 }, () => store.run(countUp, { id: 'a' })))
    expect(took()).toBeLessThan(3000)
    await server.start()
    await expect
      .poll(() => store.run(countUp, { id: 'a' }).catch(() => undefined))
      .toEqual({ count: 2, seq: 2 })
    await store.check()
  }, 60_000)
})

test('[SC1] whoever waited behind another does not wait as long again', async () => {
  const patienceMs = 2000
  // That it is away is known when half of the time is over.
  const open = () =>
    wait(patienceMs / 2).then(() => Promise.reject(new Error('connect ECONNREFUSED')))
  const pool = new PostgresPool({ size: 2, patienceMs, open })
  await expect(pool.acquire()).rejects.toSatisfy(isAwayAnswer)
  const waited = ownTime()
  await expect(pool.acquire()).rejects.toSatisfy(isAwayAnswer)
  expect(waited()).toBeLessThan(patienceMs * 0.9)
  await pool.close()
})

describe('a backup that is restored under a running node', () => {
  const project = { name: 'a', by: ownerId }
  const isReplaced = {
    code: 'store_unavailable',
    message: expect.stringContaining('was replaced by another one'),
  }

  /** What an operator does who forgets to stop the server first. */
  async function restoreUnder(url: string): Promise<void> {
    const file = await temporaryFile('backup')
    await backupPostgres(url, file)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query('select current_schema as name')
    await client.query(`drop schema ${rows[0].name} cascade; create schema ${rows[0].name}`)
    await client.end()
    await restorePostgres(file, url)
  }

  test('[RE10] a restore is found on open connections, and nothing is used any more', async () => {
    const url = await newPostgresUrl()
    const store = await openPostgres({ url, pollMs: 20 })
    await store.run(createProject, project)
    await restoreUnder(url)
    await expect.poll(() => store.check().catch((error) => error)).toMatchObject(isReplaced)
    await expect(store.run(createProject, project)).rejects.toMatchObject(isReplaced)
    await expect(store.read(async () => 1)).rejects.toMatchObject(isReplaced)
    await expect(store.eventsAfter('home', 0, 1)).rejects.toMatchObject(isReplaced)
    const again = await openPostgres({ url })
    expect(await again.positions(['home'])).toEqual([{ head: 1, floor: 0 }])
  })

  test('[RE10] a restore is found by the next connection before anything is read', async () => {
    const url = await newPostgresUrl()
    const proxy = await proxyTo(url)
    // No look at what moved comes in between.
    const store = await openPostgres({ url: proxy.url, pollMs: 3_600_000, patienceMs: 300 })
    await store.run(createProject, project)
    await restoreUnder(url)
    proxy.cutAll()
    await expect(store.run(createProject, project)).rejects.toMatchObject(isReplaced)
    await expect(store.eventsAfter('home', 0, 1)).rejects.toMatchObject(isReplaced)
  })
})
