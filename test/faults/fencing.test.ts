/**
 * RE5, small: 20 coordinators replaced while they speak, 30 in `npm run test:release`; the 500 are
 * in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { newPostgresUrl } from '../support/postgres.ts'
import { productFolder } from './build.ts'
import { fencing } from './fencing.ts'
import { newTally } from './oracle.ts'

const seed = 'npm test'

test('[RE5] a replaced coordinator is believed until then and never afterwards', async () => {
  const { tally, overtaken, rounds } = await fencing({
    build: productFolder,
    url: await newPostgresUrl(),
    seed,
    rounds: amount(20, 30),
  })
  expect(tally).toEqual(newTally())
  // Both orders happened.
  expect(overtaken).toBeGreaterThan(0)
  expect(overtaken).toBeLessThan(rounds)
})
