/** RE5: the control of `fencing.test.ts`, for the release; `npm run test:faults` has it too. */
import { expect, test } from 'vitest'
import { newPostgresUrl } from '../support/postgres.ts'
import { noEpochCheck } from './controls.ts'
import { fencing } from './fencing.ts'
import { withBuild } from './parts/part.ts'

test('[RE5] control: a build with no epoch check is caught', async () => {
  const options = { url: await newPostgresUrl(), seed: 'npm test', rounds: 60, stopEarly: true }
  const { tally } = await withBuild([noEpochCheck], (build) => fencing({ build, ...options }))
  expect(tally.torn).toBeGreaterThan(0)
})
