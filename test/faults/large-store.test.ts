/**
 * RE7, a twentieth of it; the whole, and the build that must be caught, are in
 * `npm run test:faults`.
 */
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/store.ts'
import { productFolder } from './build.ts'
import { makeLargeStore, sustainedLoad, timeToReady, walLimitBytes } from './large-store.ts'

describe('a large store', () => {
  test('[RE7] with 50,000 events it is ready at once', async () => {
    const folder = await temporaryFolder()
    expect(await makeLargeStore(folder, 5000)).toEqual({ events: 50_000, rows: 5000 })
    // Whatever else the machine does only ever adds time.
    const times = [await timeToReady(folder), await timeToReady(folder), await timeToReady(folder)]
    expect(Math.min(...times)).toBeLessThan(2000)
  })

  test('[RE7] the write-ahead log stays within 64 MiB however long readers take', async () => {
    const { largestWal, reads } = await sustainedLoad(
      productFolder,
      await temporaryFolder(),
      60_000_000,
    )
    expect(largestWal).toBeLessThan(walLimitBytes)
    expect(reads).toBeGreaterThan(5)
  })
})
