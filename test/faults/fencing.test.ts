/** RE5, small: 30 coordinators replaced while they speak; the 500 are in `npm run test:faults`. */
import { expect, test } from 'vitest'
import { newPostgresUrl } from '../support/postgres.ts'
import { productFolder } from './build.ts'
import { noEpochCheck } from './controls.ts'
import { fencing } from './fencing.ts'
import { newTally } from './oracle.ts'
import { withBuild } from './parts/part.ts'

const seed = 'npm test'

test('[RE5] a coordinator that is replaced while it speaks is believed until then, and never afterwards', async () => {
  const { tally, overtaken, rounds } = await fencing({
    build: productFolder,
    url: await newPostgresUrl(),
    seed,
    rounds: 30,
  })
  expect(tally).toEqual(newTally())
  // Both orders happened.
  expect(overtaken).toBeGreaterThan(0)
  expect(overtaken).toBeLessThan(rounds)
})

test('[RE5] control: a build with no epoch check is caught', async () => {
  const options = { url: await newPostgresUrl(), seed, rounds: 60, stopEarly: true }
  const { tally } = await withBuild([noEpochCheck], (build) => fencing({ build, ...options }))
  expect(tally.torn).toBeGreaterThan(0)
})
