/** What every store must do with use cases that find out while they run which streams they need. */
import { describe, expect, test } from 'vitest'
import { projectStream } from '../../src/domain/stream-name.ts'
import type { Store } from '../../src/store/store.ts'
import {
  countOf,
  countUpBelow,
  countUpUnnamed,
  createDrawn,
  followPointer,
  followRemembered,
  point,
  waitForOwnWrite,
} from './lock-use-cases.ts'
import type { OpenedStore } from './store-contract.ts'
import { receipt } from './use-cases.ts'

const every = 1_000_000

export const upTo = (head: number): number[] =>
  Array.from({ length: head }, (_, index) => index + 1)

export const countIn = (store: Store, id: string): Promise<number> =>
  store.read((reader) => countOf(reader, id))

const numbersIn = async (store: Store, id: string): Promise<number[]> =>
  (await store.eventsAfter(projectStream(id), 0, every)).map(({ seq }) => seq)

/**
 * Where each follower went, and where the pointer was then, as the log of the row that points has
 * it.
 */
async function followed(store: Store, id: string): Promise<{ went: string; pointed: string }[]> {
  let pointed = ''
  const all: { went: string; pointed: string }[] = []
  for (const { data, refStream } of await store.eventsAfter(projectStream(id), 0, every)) {
    if (data !== null) pointed = JSON.parse(data).project.name
    else all.push({ went: refStream ?? '', pointed: projectStream(pointed) })
  }
  return all
}

export function lockContract(engine: string, open: () => Promise<OpenedStore>): void {
  describe(`locks that are found by running, on ${engine}`, () => {
    test('[SC2] a use case appends to streams it did not name, numbered like the log', async () => {
      const { store } = await open()
      expect(await store.run(countUpUnnamed, { ids: ['b', 'a', 'b'] })).toEqual([1, 1, 2])
      expect(await store.run(countUpUnnamed, { ids: ['a', 'b'] })).toEqual([2, 3])
      expect(await numbersIn(store, 'a')).toEqual([1, 2])
      expect(await numbersIn(store, 'b')).toEqual([1, 2, 3])
    })

    test('[RE4] use cases that meet locks in opposite orders lose no update', async () => {
      const { store } = await open()
      const turn = async (ids: string[]): Promise<void> => {
        for (let i = 0; i < 20; i++) await store.run(countUpUnnamed, { ids })
      }
      await Promise.all([
        turn(['a', 'b', 'c']),
        turn(['c', 'b', 'a']),
        turn(['b', 'c', 'a']),
        turn(['a', 'c']),
      ])
      expect(await countIn(store, 'a')).toBe(80)
      expect(await countIn(store, 'b')).toBe(60)
      expect(await numbersIn(store, 'c')).toEqual(upTo(80))
      expect(store.figures().retried).toBe(0)
    })

    test('[RE4] a row followed to another stream is decided where it points then', async () => {
      const { store } = await open()
      for (const id of ['x', 'y', 'z']) await store.run(point, { id, to: id })
      await store.run(point, { id: 'a', to: 'x' })
      const follower = async (useCase: typeof followPointer): Promise<void> => {
        for (let i = 0; i < 30; i++) await store.run(useCase, { id: 'a' })
      }
      const mover = async (): Promise<void> => {
        for (let i = 0; i < 30; i++)
          await store.run(point, { id: 'a', to: ['y', 'z', 'x'][i % 3] ?? '' })
      }
      await Promise.all([follower(followPointer), follower(followRemembered), mover()])
      const steps = await followed(store, 'a')
      expect(steps).toHaveLength(60)
      expect(steps.map(({ went }) => went)).toEqual(steps.map(({ pointed }) => pointed))
      const counts = await Promise.all(['x', 'y', 'z'].map((id) => countIn(store, id)))
      expect(counts.reduce((sum, count) => sum + count)).toBe(60)
    })

    test('[RE4] a decision about two streams holds while others decide about them', async () => {
      const { store } = await open()
      const tried = upTo(40).map((each) => {
        const [id, other] = each % 2 === 0 ? ['a', 'b'] : ['b', 'a']
        return store.run(countUpBelow, { id: id ?? '', other: other ?? '', limit: 25 })
      })
      const settled = await Promise.allSettled(tried)
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(25)
      expect((await countIn(store, 'a')) + (await countIn(store, 'b'))).toBe(25)
    })

    test('[SC2] a stream that is named by a drawn id is found again', async () => {
      const { store } = await open()
      const made = await Promise.all(upTo(20).map(() => store.run(createDrawn, { beside: 'a' })))
      expect(new Set(made.map(({ id }) => id)).size).toBe(20)
      for (const { id, seq } of made) {
        expect(seq).toBe(1)
        expect(await numbersIn(store, id)).toEqual([1])
      }
      expect(await countIn(store, 'a')).toBe(20)
      // None of another name was left by a run that did not count.
      const streams = (await store.streamsAfter('', every)).map(({ name }) => name)
      expect(streams.toSorted()).toEqual(
        ['a', ...made.map(({ id }) => id)].map(projectStream).toSorted(),
      )
    })

    test('[HT4] a receipt is answered whatever was locked: done once, same answer', async () => {
      const { store, reopen } = await open()
      const [one, two] = await Promise.all([
        store.run(createDrawn, { beside: 'a' }, receipt('k')),
        store.run(createDrawn, { beside: 'a' }, receipt('k')),
      ])
      expect(two).toEqual(one)
      expect(await (await reopen()).run(createDrawn, { beside: 'a' }, receipt('k'))).toEqual(one)
      expect(await countIn(await reopen(), 'a')).toBe(1)
    })

    test('[SC2] a hundred streams are found by one use case', async () => {
      const { store } = await open()
      const ids = upTo(100).map((each) => `p${each}`)
      expect(await store.run(countUpUnnamed, { ids })).toEqual(ids.map(() => 1))
      expect(await store.run(countUpUnnamed, { ids: ids.toReversed() })).toEqual(ids.map(() => 2))
      // The run that only finds streams, and the one that counts.
      expect(store.figures().abandoned).toBeLessThanOrEqual(2)
    })

    test('[SC2] a use case that reads until it sees its own write ends', async () => {
      const { store } = await open()
      expect(await store.run(waitForOwnWrite, { id: 'a' })).toBe(1)
    })
  })
}
