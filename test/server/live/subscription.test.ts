/**
 * One reader of many streams, without an endpoint in front: what happens when it is behind what is
 * kept, or in the way of itself.
 */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { owner } from '../../../src/domain/access/caller.ts'
import { Refusal } from '../../../src/domain/errors.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import {
  type FeedSink,
  type FeedSnapshot,
  Subscription,
} from '../../../src/server/live/subscription.ts'
import { type FeedEvent, Tails } from '../../../src/server/live/tail.ts'
import { checkAccess } from '../../../src/services/access/check-access.ts'
import { getOrCreateConversation } from '../../../src/services/conversations/change-conversation.ts'
import { deleteConversation } from '../../../src/services/flows/conversations/delete-conversation.ts'
import { createProject } from '../../../src/services/projects/change-project.ts'
import type { LocalDoorbell } from '../../../src/store/log/doorbell.ts'
import { encodeCursor } from '../../../src/store/page-cursor.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'

/** A client whose room the test gives and takes. */
class TestSink implements FeedSink {
  full = false
  readonly got: (number | 'snapshot')[] = []
  readonly failures: unknown[] = []
  #waiting: (() => void)[] = []
  #changed: (() => void)[] = []

  events(events: readonly FeedEvent[]): void {
    this.got.push(...events.map(({ seq }) => seq))
    for (const tell of this.#changed.splice(0)) tell()
  }

  snapshot(_: FeedSnapshot): void {
    this.got.push('snapshot')
    for (const tell of this.#changed.splice(0)) tell()
  }

  failed(error: unknown): void {
    this.failures.push(error)
    for (const tell of this.#changed.splice(0)) tell()
  }

  lost(stream: string): void {
    this.failures.push(`${stream} is lost`)
  }

  drained(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  makeRoom(): void {
    this.full = false
    for (const go of this.#waiting.splice(0)) go()
  }

  async until(enough: () => boolean): Promise<void> {
    while (!enough()) await new Promise<void>((resolve) => this.#changed.push(resolve))
  }
}

function open({ store, clock }: TestStore) {
  const tails = new Tails({
    store,
    clock,
    logger: createLogger({ level: 'silent', format: 'json' }),
  })
  const sink = new TestSink()
  return { tails, sink, subscription: new Subscription(store, tails, sink, owner) }
}

const write = async ({ store }: TestStore, count: number): Promise<void> => {
  await Promise.all(
    Array.from({ length: count }, () => store.run(createProject, { name: 'p', by: 'owner' })),
  )
}

/** What retention does: the first events are gone, and the stream says so. */
function trim({ folder }: TestStore, upTo: number): void {
  const database = new DatabaseSync(join(folder, 'holdfast.db'))
  database.exec(
    `begin immediate; delete from events where stream = 'home' and seq <= ${upTo}; update streams set floor = ${upTo} where name = 'home'; commit`,
  )
  database.close()
}

const cursorAt = ({ store }: TestStore, seq: number): string =>
  encodeCursor(store.incarnation, new Map([['home', seq]]))

test('[HT6] a cursor below what is kept gets one snapshot, then goes on', async () => {
  const testStore = await openTestStore()
  await write(testStore, 10)
  trim(testStore, 5)
  const behind = open(testStore)
  await behind.subscription.follow(['home'], cursorAt(testStore, 4), () => {})
  await write(testStore, 1)
  await behind.sink.until(() => behind.sink.got.length >= 2)
  expect(behind.sink.got).toEqual(['snapshot', 11])
  const served = open(testStore)
  await served.subscription.follow(['home'], cursorAt(testStore, 5), () => {})
  await served.sink.until(() => served.sink.got.length >= 6)
  expect(served.sink.got).toEqual([6, 7, 8, 9, 10, 11])
})

test('[HT6] what is trimmed while a reader is too slow for it comes as a snapshot, not as a hole', async () => {
  const testStore = await openTestStore()
  await write(testStore, 3)
  const { sink, subscription } = open(testStore)
  sink.full = true
  await subscription.follow(['home'], cursorAt(testStore, 0), () => {})
  await write(testStore, 3)
  trim(testStore, 2)
  sink.makeRoom()
  await sink.until(() => sink.got.length >= 1)
  await write(testStore, 1)
  await sink.until(() => sink.got.includes(7))
  expect(sink.got).toEqual(['snapshot', 7])
})

test('[HT6] a reader far behind gets all of it, even when nothing new happens', async () => {
  const testStore = await openTestStore()
  await write(testStore, 700)
  const { sink, subscription } = open(testStore)
  await subscription.follow(['home'], cursorAt(testStore, 0), () => {})
  await sink.until(() => sink.got.length >= 700)
  expect(sink.got).toEqual(Array.from({ length: 700 }, (_, index) => index + 1))
})

test('[HT6] a reader that joins while the tail is still reading gets nothing twice', async () => {
  const testStore = await openTestStore()
  const { store } = testStore
  const { sink: first, subscription, tails } = open(testStore)
  await subscription.follow(['home'], undefined, () => {})
  const { eventsAfter } = store
  let release: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  store.eventsAfter = async (...question) => {
    await held
    return eventsAfter.apply(store, question)
  }
  await write(testStore, 1)
  const second = new TestSink()
  await new Subscription(store, tails, second, owner).follow(['home'], undefined, () => {})
  // The subscription joins once others had their turn; the tail hands out event 1 only afterwards.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  release()
  await first.until(() => first.got.length === 1)
  await write(testStore, 1)
  await second.until(() => second.got.length >= 1)
  expect([first.got, second.got]).toEqual([[1, 2], [2]])
})

test('[RL5] a full client gets nothing more until it has room, then all of it in order', async () => {
  const testStore = await openTestStore()
  const { sink, subscription } = open(testStore)
  await subscription.follow(['home'], undefined, () => {})
  await write(testStore, 1)
  await sink.until(() => sink.got.length === 1)
  sink.full = true
  await write(testStore, 700)
  expect(sink.got).toEqual([1])
  sink.makeRoom()
  await sink.until(() => sink.got.length === 701)
  expect(sink.got).toEqual(Array.from({ length: 701 }, (_, index) => index + 1))
})

test('[RL5] following again starts again, and leaving lets the tail go', async () => {
  const testStore = await openTestStore()
  await write(testStore, 2)
  const { sink, subscription, tails } = open(testStore)
  await subscription.follow(['home'], cursorAt(testStore, 0), () => {})
  await sink.until(() => sink.got.length === 2)
  await subscription.follow(['home'], cursorAt(testStore, 1), () => {})
  await sink.until(() => sink.got.length === 3)
  expect(sink.got).toEqual([1, 2, 2])
  expect(tails.size).toBe(1)
  subscription.close()
  expect(tails.size).toBe(0)
  await write(testStore, 1)
  expect(sink.got).toEqual([1, 2, 2])
})

test('[RL5] a log that cannot be read sends the reader away instead of leaving it in silence', async () => {
  const testStore = await openTestStore()
  await write(testStore, 2)
  const { sink, subscription } = open(testStore)
  const { eventsAfter } = testStore.store
  testStore.store.eventsAfter = () => Promise.reject(new Error('the disk is gone'))
  await subscription.follow(['home'], cursorAt(testStore, 0), () => {})
  await sink.until(() => sink.failures.length === 1)
  testStore.store.eventsAfter = eventsAfter
  expect(sink.got).toEqual([])
})

test('[RL5] a tail whose read failed tries again, and its followers miss nothing', async () => {
  const testStore = await openTestStore()
  const { sink, subscription } = open(testStore)
  await subscription.follow(['home'], undefined, () => {})
  const { store, clock } = testStore
  const { eventsAfter } = store
  let failed: () => void = () => {}
  const failing = new Promise<void>((resolve) => {
    failed = resolve
  })
  store.eventsAfter = () => {
    failed()
    return Promise.reject(new Error('not now'))
  }
  await write(testStore, 1)
  await failing
  store.eventsAfter = eventsAfter
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(1000)
  await sink.until(() => sink.got.length === 1)
  expect(sink.got).toEqual([1])
})

test('[RE4] a ring for what is not there swallows none that comes while the log is read', async () => {
  const testStore = await openTestStore()
  const { store } = testStore
  const { tails } = open(testStore)
  const { eventsAfter } = store
  const { promise: looked, resolve: look } = Promise.withResolvers<void>()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  store.eventsAfter = async (...question) => {
    const rows = await eventsAfter.apply(store, question)
    look()
    await held
    return rows
  }
  const tail = tails.acquire('home')
  const { promise: taken, resolve: take } = Promise.withResolvers<readonly FeedEvent[]>()
  tail.join({ take })
  tail.start(0)
  ;(store.doorbell as LocalDoorbell).ring([['home', 5]])
  await looked
  await write(testStore, 1)
  release()
  expect(await taken).toMatchObject([{ seq: 1 }])
})

test('[RE4] a tail that is let go while the log cannot be read does not ask again', async () => {
  const testStore = await openTestStore()
  const { store, clock } = testStore
  const { tails } = open(testStore)
  let asked = 0
  const { promise: held, reject } = Promise.withResolvers<never>()
  store.eventsAfter = () => {
    asked++
    return held
  }
  tails.acquire('home').start(0)
  await write(testStore, 1)
  expect(asked).toBe(1)
  tails.release('home')
  reject(new Error('the store is away'))
  await held.catch(() => {})
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(10_000)
  expect(asked).toBe(1)
})

test('[SE29] a stream that was followed before it began is checked when it begins: another’s is let go, with nothing of it sent', async () => {
  const opened = await openTestStore()
  const { store, clock } = opened
  const { id: projectId } = await store.run(createProject, { name: 'p', by: 'owner' })
  const key = `web:${projectId}.ann`
  let isOthers = false
  const query: typeof store.query = (asked, input) =>
    (asked as unknown) === checkAccess && isOthers
      ? Promise.reject(new Refusal('not_found'))
      : store.query(asked, input)
  const guarded = new Proxy(store, {
    get: (of, name) => {
      const value = Reflect.get(of, name, of)
      return name === 'query' ? query : typeof value === 'function' ? value.bind(of) : value
    },
  })
  const tails = new Tails({
    store,
    clock,
    logger: createLogger({ level: 'silent', format: 'json' }),
  })
  const [others, own] = [new TestSink(), new TestSink()]
  for (const sink of [others, own])
    await new Subscription(guarded, tails, sink, { id: 'bob', scopes: ['read'] }).follow(
      [`conversation:${key}`],
      undefined,
      () => {},
    )
  await store.run(getOrCreateConversation, { key })
  await own.until(() => own.got.length === 1)
  await others.until(() => others.got.length === 1)
  isOthers = true
  await store.run(deleteConversation, { key, by: 'owner' })
  await store.run(getOrCreateConversation, { key })
  await others.until(() => others.failures.length === 1)
  expect(others).toMatchObject({ got: [1], failures: [`conversation:${key} is lost`] })
})
