/**
 * RE4, small: 2,000 events, on PostgreSQL 300 and in `npm run test:release` 1,000; the 200,000 are
 * in `npm run test:faults`.
 */
import { describe, expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { newPostgresUrl } from '../support/postgres.ts'
import { openPostgres } from '../support/postgres-store.ts'
import { openTestStore } from '../support/store.ts'
import { newTally } from './oracle.ts'
import { ordering } from './ordering/ordering.ts'
import { productReader, timeCursor, withoutPoll } from './ordering/readers.ts'

const seed = 'npm test'
const writerUrl = new URL('../store/writer.ts', import.meta.url)

describe('order', () => {
  test('[RE4] 8 readers with bad doorbells have each of 2,000 events once, in order', async () => {
    const { store } = await openTestStore({ writerUrl })
    const { tally, seen, events, reconnects } = await ordering({
      seed,
      events: 2000,
      write: store,
      read: store,
      startReader: productReader,
    })
    expect(tally).toEqual(newTally())
    expect(seen).toBe(8 * events)
    expect(reconnects).toBeGreaterThan(8)
  })

  test('[RE4] readers on another PostgreSQL node have each event once and in order', async () => {
    const url = await newPostgresUrl()
    const [write, read] = [await openPostgres({ url }), await openPostgres({ url })]
    const { tally, seen, events } = await ordering({
      seed,
      events: amount(300, 1000),
      write,
      read,
      startReader: productReader,
    })
    expect(tally).toEqual(newTally())
    expect(seen).toBe(8 * events)
  })

  test('[RE4] control: readers that trust times or doorbells alone are caught', async () => {
    for (const startReader of [timeCursor, withoutPoll]) {
      const { store } = await openTestStore({ writerUrl })
      const { tally } = await ordering({
        seed,
        events: 1000,
        write: store,
        read: store,
        startReader,
        patienceMs: 500,
      })
      expect(tally.lost).toBeGreaterThan(0)
    }
  })
})
