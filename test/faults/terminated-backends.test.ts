/** RE11, small: 400 requests while its backends are terminated; the 10,000 are in `npm run test:faults`. */
import { expect, test } from 'vitest'
import { newPostgresUrl } from '../support/postgres.ts'
import { productFolder } from './build.ts'
import { newTally } from './oracle.ts'
import { terminatedBackends } from './terminated-backends.ts'

test('[RE11] while PostgreSQL ends its backends a request is done or refused with 503 and Retry-After, never with 500', async () => {
  const { tally, terminated } = await terminatedBackends({ build: productFolder, url: await newPostgresUrl(), requests: 400 })
  expect(tally).toEqual(newTally())
  expect(terminated).toBeGreaterThan(5)
})
