/**
 * RE11, small: 100 requests, 400 in `npm run test:release`, while its backends are terminated; the
 * 10,000 are in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { newPostgresUrl } from '../support/postgres.ts'
import { productFolder } from './build.ts'
import { newTally } from './oracle.ts'
import { terminatedBackends } from './terminated-backends.ts'

test('[RE11] a request is done or refused with 503 while PostgreSQL ends backends', async () => {
  const options = { url: await newPostgresUrl(), requests: amount(100, 400) }
  const { tally, terminated } = await terminatedBackends({ build: productFolder, ...options })
  expect(tally).toEqual(newTally())
  expect(terminated).toBeGreaterThan(amount(1, 5))
})
