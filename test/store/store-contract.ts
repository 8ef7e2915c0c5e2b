/**
 * What every store must do, whatever its engine. Each engine's test file calls this with a way to
 * open one; nothing in here knows which engine it has.
 */
import { describe, expect, test } from 'vitest'
import { home, projectStream, type StreamName } from '../../src/domain/stream-name.ts'
import type { ReceiptKey, Store, StoredEvent } from '../../src/store/store.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import {
  countUp,
  countUpAll,
  createRow,
  makeSecret,
  refuseAfterWriting,
  selectProject,
} from './use-cases.ts'

export interface OpenedStore {
  readonly store: Store
  readonly clock: ManualClock
  /** Closes the store and opens the same database again. */
  readonly reopen: () => Promise<Store>
  /** Every byte the engine has on disk, to look for what must not be there. */
  readonly bytes: () => Promise<Buffer>
}

const every = 1_000_000

const receipt = (key: string, over: Partial<ReceiptKey> = {}): ReceiptKey => ({
  credentialId: 'c1',
  operation: 'POST /x',
  key,
  contentHash: 'h1',
  sealedBy: 'hf_script_presented',
  ...over,
})

const numbers = (events: readonly StoredEvent[]): number[] => events.map(({ seq }) => seq)
const upTo = (head: number): number[] => Array.from({ length: head }, (_, index) => index + 1)

const countOf = (store: Store, id: string): Promise<number> =>
  store.read(async (reader) => Number((await reader.first(selectProject, { id }))?.settings ?? 0))

export function storeContract(engine: string, open: () => Promise<OpenedStore>): void {
  describe(`the store's contract on ${engine}`, () => {
    test('[SC2] a use case changes state and log in one commit, answers plain data', async () => {
      const { store, clock } = await open()
      const answer = await store.run(createRow, { id: 'a', name: '設計 🚀', also: true })
      expect(answer).toEqual({ id: 'a', seq: 1, now: new Date(clock.now()).toISOString() })
      const [event] = await store.eventsAfter(projectStream('a'), 0, every)
      expect(event).toMatchObject({
        stream: 'project:a',
        seq: 1,
        type: 'project-created',
        refStream: null,
        refSeq: null,
      })
      expect(JSON.parse(event?.data ?? '')).toMatchObject({
        by: 'test',
        project: { id: 'a', name: '設計 🚀' },
      })
      expect(await store.read((reader) => reader.first(selectProject, { id: 'a' }))).toMatchObject({
        name: '設計 🚀',
      })
    })

    test('[SC2] an also copy has no body and its own number, and names its event', async () => {
      const { store } = await open()
      await store.run(createRow, { id: 'a', also: true })
      await store.run(createRow, { id: 'b', also: true })
      const copies = await store.eventsAfter(home, 0, every)
      expect(copies).toMatchObject([
        { seq: 1, type: 'project-created', data: null, refStream: 'project:a', refSeq: 1 },
        { seq: 2, type: 'project-created', data: null, refStream: 'project:b', refSeq: 1 },
      ])
    })

    test('[SC2] a refusal or fault changes nothing and leaves no hole in the numbers', async () => {
      const { store } = await open()
      await store.run(countUp, { id: 'a' })
      await expect(store.run(refuseAfterWriting, { id: 'a' })).rejects.toMatchObject({
        code: 'invalid_name',
        message: 'refused on purpose',
        fields: { id: 'a' },
      })
      await expect(store.run(refuseAfterWriting, { id: 'a', fault: true })).rejects.toThrow(
        'a fault on purpose',
      )
      expect(await store.run(countUp, { id: 'a' })).toEqual({ count: 2, seq: 2 })
      expect(numbers(await store.eventsAfter(projectStream('a'), 0, every))).toEqual([1, 2])
    })

    test('[SC2] neighbours of a refused use case in the same commit are kept', async () => {
      const { store } = await open()
      const tried = Array.from({ length: 60 }, (_, index) =>
        index % 3 === 0
          ? store.run(refuseAfterWriting, { id: 'a' })
          : store.run(countUp, { id: 'a' }),
      )
      const settled = await Promise.allSettled(tried)
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(40)
      expect(await countOf(store, 'a')).toBe(40)
      expect(numbers(await store.eventsAfter(projectStream('a'), 0, every))).toEqual(upTo(40))
    })

    test('[RE4] decisions about one stream are serial: 16 writers lose no update', async () => {
      const { store } = await open()
      const writer = async (): Promise<void> => {
        for (let i = 0; i < 25; i++) await store.run(countUp, { id: 'hot' })
      }
      await Promise.all(Array.from({ length: 16 }, writer))
      expect(await countOf(store, 'hot')).toBe(400)
      expect(numbers(await store.eventsAfter(projectStream('hot'), 0, every))).toEqual(upTo(400))
    })

    test('[RE4] use cases that name locks in opposite orders never deadlock', async () => {
      const { store } = await open()
      const turn = async (ids: string[]): Promise<void> => {
        for (let i = 0; i < 20; i++) await store.run(countUpAll, { ids })
      }
      await Promise.all([
        turn(['a', 'b', 'c']),
        turn(['c', 'b', 'a']),
        turn(['b', 'c', 'a']),
        turn(['a', 'c']),
      ])
      expect(await countOf(store, 'a')).toBe(80)
      expect(await countOf(store, 'b')).toBe(60)
      expect(store.figures().retried).toBe(0)
    })

    test('[RE4] a reader that follows the doorbell sees every event once, in order', async () => {
      const { store } = await open()
      const seen: number[] = []
      const stream = projectStream('a')
      const done = new Promise<void>((resolve) => {
        let [reading, rung] = [false, false]
        store.doorbell.on(stream, async () => {
          rung = true
          if (reading) return
          reading = true
          while (rung) {
            // A ring while a read is under way may be for what that read is too early to see.
            rung = false
            const events = await store.eventsAfter(stream, seen.at(-1) ?? 0, 7)
            seen.push(...numbers(events))
            if (events.length > 0) rung = true
          }
          reading = false
          if (seen.length === 300) resolve()
        })
      })
      for (let i = 0; i < 30; i++)
        await Promise.all(upTo(10).map(() => store.run(countUp, { id: 'a' })))
      await done
      expect(seen).toEqual(upTo(300))
    })

    test('[SC2] what was acknowledged is read by whoever asks next', async () => {
      const { store } = await open()
      for (let i = 1; i <= 50; i++) {
        await store.run(countUp, { id: 'a' })
        expect(await countOf(store, 'a')).toBe(i)
        expect(await store.positions([projectStream('a')])).toEqual([{ head: i, floor: 0 }])
      }
    })

    test('[SC2] everything in one read comes from one snapshot', async () => {
      const { store } = await open()
      await store.run(countUp, { id: 'a' })
      await store.read(async (reader) => {
        const before = await reader.first(selectProject, { id: 'a' })
        await store.run(countUp, { id: 'a' })
        expect(await reader.first(selectProject, { id: 'a' })).toEqual(before)
      })
      expect(await countOf(store, 'a')).toBe(2)
    })

    test('[SC2] streams are listed by name and read in pages', async () => {
      const { store } = await open()
      for (const id of ['c', 'a', 'b']) await store.run(countUp, { id })
      await store.run(countUp, { id: 'b' })
      expect(await store.streamsAfter('', 2)).toEqual([
        { name: 'project:a', head: 1 },
        { name: 'project:b', head: 2 },
      ])
      expect(await store.streamsAfter('project:b', 2)).toEqual([{ name: 'project:c', head: 1 }])
      const unknown: StreamName = 'project:none'
      expect(await store.positions([unknown, 'project:b'])).toMatchObject([
        { head: 0 },
        { head: 2 },
      ])
      expect(numbers(await store.eventsAfter('project:b', 1, 1))).toEqual([2])
    })

    test('[HT4] the same key and content is done once and answered alike, ever after', async () => {
      const { store, reopen } = await open()
      const twice = await Promise.all([
        store.run(countUp, { id: 'a' }, receipt('k')),
        store.run(countUp, { id: 'a' }, receipt('k')),
      ])
      expect(twice).toEqual([
        { count: 1, seq: 1 },
        { count: 1, seq: 1 },
      ])
      const again = await reopen()
      expect(await again.run(countUp, { id: 'a' }, receipt('k'))).toEqual({ count: 1, seq: 1 })
      expect(await countOf(again, 'a')).toBe(1)
    })

    test('[HT4] other content is refused; another credential makes another key', async () => {
      const { store } = await open()
      await store.run(countUp, { id: 'a' }, receipt('k'))
      await expect(
        store.run(countUp, { id: 'a' }, receipt('k', { contentHash: 'h2' })),
      ).rejects.toMatchObject({
        code: 'idempotency_key_reused',
      })
      expect(await store.run(countUp, { id: 'a' }, receipt('k', { credentialId: 'c2' }))).toEqual({
        count: 2,
        seq: 2,
      })
      expect(await store.run(countUp, { id: 'a' }, receipt('k', { operation: 'PUT /x' }))).toEqual({
        count: 3,
        seq: 3,
      })
    })

    test('[HT4] of two requests at once under one key, other content is refused', async () => {
      const { store } = await open()
      for (let round = 0; round < 10; round++) {
        const tried = ['a', 'b'].map((id) =>
          store.run(countUp, { id }, receipt(`k${round}`, { contentHash: id })),
        )
        const settled = await Promise.allSettled(tried)
        const refused = settled.flatMap((each) =>
          each.status === 'rejected' ? [each.reason.code] : [],
        )
        expect(refused).toEqual(['idempotency_key_reused'])
      }
      expect((await countOf(store, 'a')) + (await countOf(store, 'b'))).toBe(10)
    })

    test('[HT4] a receipt is kept 7 days; a refused request leaves none', async () => {
      const { store, clock } = await open()
      await store.run(countUp, { id: 'a' }, receipt('k'))
      clock.advance(7 * 24 * 3600 * 1000 - 1)
      expect(await store.run(countUp, { id: 'a' }, receipt('k'))).toEqual({ count: 1, seq: 1 })
      clock.advance(1)
      expect(await store.run(countUp, { id: 'a' }, receipt('k'))).toEqual({ count: 2, seq: 2 })
      await expect(store.run(refuseAfterWriting, { id: 'a' }, receipt('r'))).rejects.toMatchObject({
        code: 'invalid_name',
      })
      expect(await store.run(countUp, { id: 'a' }, receipt('r', { contentHash: 'other' }))).toEqual(
        { count: 3, seq: 3 },
      )
    })

    test('[AS7] an answer with a secret is given again to its caller, never stored', async () => {
      const { store, bytes } = await open()
      const first = await store.run(makeSecret, { id: 'a' }, receipt('k'))
      expect(await store.run(makeSecret, { id: 'a' }, receipt('k'))).toEqual(first)
      expect((await bytes()).includes(first.secret)).toBe(false)
      await expect(
        store.run(makeSecret, { id: 'a' }, receipt('k', { sealedBy: 'hf_script_other' })),
      ).rejects.toThrow()
    })

    test('[RE10] the id, incarnation, state and log of a store survive a restart', async () => {
      const { store, reopen } = await open()
      await store.run(countUp, { id: 'a' })
      const again = await reopen()
      expect([again.id, again.incarnation]).toEqual([store.id, store.incarnation])
      expect(await again.run(countUp, { id: 'a' })).toEqual({ count: 2, seq: 2 })
      expect(numbers(await again.eventsAfter(projectStream('a'), 0, every))).toEqual([1, 2])
    })

    test('[OP2] closing finishes what was accepted and refuses what comes after', async () => {
      const { store, reopen } = await open()
      const accepted = upTo(200).map(() => store.run(countUp, { id: 'a' }))
      const closed = store.close()
      await expect(store.run(countUp, { id: 'a' })).rejects.toMatchObject({ code: 'shutting_down' })
      expect(await Promise.all(accepted)).toHaveLength(200)
      await closed
      expect(await countOf(await reopen(), 'a')).toBe(200)
    })
  })
}
