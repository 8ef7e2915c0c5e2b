/**
 * Several nodes on one PostgreSQL: what one writes, the others hear of, whatever happens to the
 * doorbells.
 */
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { projectStream, type StreamName } from '../../src/domain/stream-name.ts'
import { PostgresConnection } from '../../src/store/postgres/connection.ts'
import { connectionOptions } from '../../src/store/postgres/connection-options.ts'
import { NotifyBell, payloads } from '../../src/store/postgres/notify-bell.ts'
import type { Store } from '../../src/store/store.ts'
import { newPostgresStoreUrl, newPostgresUrl, usePostgres } from '../support/postgres.ts'
import { proxyTo } from '../support/postgres-proxy.ts'
import { openPostgres } from '../support/postgres-store.ts'
import { countUp, countUpAll } from './use-cases.ts'

usePostgres()

const stream = projectStream('a')

/** For a node that must hear without the poll. */
const never = 2 ** 31 - 1

const ringOf = (store: Store, name: StreamName, head: number): Promise<void> =>
  new Promise((resolve) => {
    const off = store.doorbell.on(name, (at) => {
      if (at < head) return
      off()
      resolve()
    })
  })

const anyRingOf = (store: Store, name: StreamName, head: number): Promise<void> =>
  new Promise((resolve) => {
    const off = store.doorbell.onAny((which, at) => {
      if (which !== name || at < head) return
      off()
      resolve()
    })
  })

describe('two nodes on one PostgreSQL', () => {
  test('[SC1] what one node commits rings on the other at once, without the poll', async () => {
    const url = await newPostgresStoreUrl()
    const [one, other] = [await openPostgres({ url }), await openPostgres({ url, pollMs: never })]
    expect([other.id, other.incarnation]).toEqual([one.id, one.incarnation])
    await one.run(countUp, { id: 'a' })
    for (let head = 2; head <= 12; head++) {
      const rung = Promise.all([ringOf(other, stream, head), anyRingOf(other, stream, head)])
      await one.run(countUp, { id: 'a' })
      await rung
    }
    expect(await other.positions([stream])).toEqual([{ head: 12, floor: 0 }])
  })

  test('[RE4] with every notification lost the poll still rings, for any stream', async () => {
    const url = await newPostgresUrl()
    const proxy = await proxyTo(url)
    const [one, other] = [
      await openPostgres({ url }),
      await openPostgres({ url: proxy.url, pollMs: 50 }),
    ]
    proxy.loseNotifications()
    // One after the other: the two are found in different ways, and what rings one would ring the
    // other too.
    for (const [index, wait] of [ringOf, anyRingOf, ringOf, anyRingOf].entries()) {
      const rung = wait(other, stream, index + 1)
      await one.run(countUp, { id: 'a' })
      await rung
    }
    // Rings that come close together travel together.
    await expect.poll(() => proxy.lost()).toBeGreaterThanOrEqual(1)
  })

  test('[RE4] a stranger on the channel of the doorbells deafens no node', async () => {
    const url = await newPostgresUrl()
    const proxy = await proxyTo(url)
    const [one, other] = [
      await openPostgres({ url }),
      await openPostgres({ url: proxy.url, pollMs: 50 }),
    ]
    await one.run(countUp, { id: 'a' })
    const heard: number[] = []
    other.doorbell.on(stream, (at) => heard.push(at))
    const channel = `holdfast_${one.incarnation.replaceAll(/\W/g, '')}`
    const outsider = new pg.Client({ connectionString: url })
    await outsider.connect()
    const wrong = [
      [1, 2, 3],
      ['x', stream, 'y'],
      ['x', stream, null],
      ['x', stream, -1],
      ['x', stream, 1.5],
      ['x', {}, 1],
      {},
      null,
    ]
    for (const payload of wrong)
      await outsider.query('select pg_notify($1, $2)', [channel, JSON.stringify(payload)])
    // A number that is far beyond what is there makes sense, and says nothing about what comes.
    await outsider.query('select pg_notify($1, $2)', [
      channel,
      JSON.stringify(['x', stream, 1_000_000]),
    ])
    await outsider.end()
    await expect.poll(() => heard).toContain(1_000_000)
    expect(heard.filter((at) => at !== 1 && at !== 1_000_000)).toEqual([])
    await one.run(countUp, { id: 'a' })
    await expect.poll(() => heard).toContain(2)
    proxy.loseNotifications()
    await one.run(countUp, { id: 'a' })
    await expect.poll(() => heard).toContain(3)
  })

  test('[SC1] a doorbell whose connection may not listen is opened anew', async () => {
    const url = await newPostgresUrl()
    const options = connectionOptions(url)
    const { promise: heard, resolve } = Promise.withResolvers<unknown>()
    let asked = 0
    const bell = new NotifyBell({
      // Refused the first time, as by a server that is about to be promoted.
      get channel() {
        return ++asked === 1 ? 'not a name' : 'a_name'
      },
      node: 'one',
      open: () => PostgresConnection.open(options),
      ring: (heads) => resolve([...heads]),
      heard: () => {},
    })
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    // The last one may be under way when its connection ends.
    const ring = () =>
      void other.query(`select pg_notify('a_name', '["other","home",1]')`).catch(() => {})
    const ringing = setInterval(ring, 20)
    expect(await heard).toEqual([['home', 1]])
    clearInterval(ringing)
    await other.end()
    await bell.close()
  })

  test('[RE4] a commit that was under way while the poll looked is found by the next', async () => {
    const url = await newPostgresUrl()
    const proxy = await proxyTo(url)
    const other = await openPostgres({ url: proxy.url, pollMs: 50 })
    proxy.loseNotifications()
    const writer = new pg.Client({ connectionString: url })
    await writer.connect()
    const heard: StreamName[] = []
    other.doorbell.onAny((name) => heard.push(name))
    await writer.query('begin')
    await writer.query(`insert into streams (name, head, floor) values ('project:slow', 1, 0)`)
    // Later ones commit first; the poll passes them while the slow one is still open.
    const one = await openPostgres({ url })
    await one.run(countUp, { id: 'fast' })
    await expect.poll(() => heard).toContain('project:fast')
    expect(heard).not.toContain('project:slow')
    await writer.query('commit')
    await writer.end()
    await expect.poll(() => heard).toContain('project:slow')
  })

  test('[SC1] a node whose connections are all cut listens again by itself', async () => {
    const url = await newPostgresUrl()
    const proxy = await proxyTo(url)
    const [one, other] = [
      await openPostgres({ url }),
      await openPostgres({ url: proxy.url, pollMs: never }),
    ]
    proxy.cutAll()
    let rung = 0
    other.doorbell.on(stream, () => rung++)
    const writeAndLook = async (): Promise<number> => {
      await one.run(countUp, { id: 'a' })
      return rung
    }
    await expect.poll(writeAndLook).toBeGreaterThan(0)
    const { seq } = await other.run(countUp, { id: 'a' })
    expect(await one.positions([stream])).toEqual([{ head: seq, floor: 0 }])
  })

  test('[RE4] 4 nodes with locks in opposite orders lose no update, run none twice', async () => {
    const url = await newPostgresStoreUrl()
    const nodes = await Promise.all(
      Array.from({ length: 4 }, () => openPostgres({ url, poolSize: 4 })),
    )
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const turn = async (store: Store, order: string[]): Promise<void> => {
      for (let i = 0; i < 20; i++) await store.run(countUpAll, { ids: order })
    }
    await Promise.all(nodes.flatMap((store) => [turn(store, ids), turn(store, ids.toReversed())]))
    for (const id of ids) {
      const [node] = nodes
      expect(await node?.positions([projectStream(id)])).toEqual([{ head: 160, floor: 0 }])
      const events = (await node?.eventsAfter(projectStream(id), 0, 1000)) ?? []
      expect(events.map(({ seq }) => seq)).toEqual(
        Array.from({ length: 160 }, (_, index) => index + 1),
      )
    }
    expect(nodes.map((store) => store.figures().retried)).toEqual([0, 0, 0, 0])
  })

  test('[SC1] two nodes that start on an empty database migrate it once and agree', async () => {
    const url = await newPostgresUrl()
    const nodes = await Promise.all(Array.from({ length: 4 }, () => openPostgres({ url })))
    expect(new Set(nodes.map(({ id, incarnation }) => `${id} ${incarnation}`)).size).toBe(1)
    await Promise.all(nodes.map((store, index) => store.run(countUp, { id: `n${index}` })))
  })

  test('[SC1] notifications stay below PostgreSQL’s 8000 bytes, however many streams moved', () => {
    const heads = new Map(
      Array.from({ length: 3000 }, (_, index) => [projectStream(`設計${index}`), index] as const),
    )
    const all = [...payloads('node-1', heads)]
    expect(Math.max(...all.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8000)
    const read = all.flatMap((payload) => (JSON.parse(payload) as unknown[]).slice(1))
    expect(read).toEqual([...heads].flat())
    expect([...payloads('node-1', new Map())]).toEqual([])
  })
})
