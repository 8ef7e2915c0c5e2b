/**
 * A plan that goes on through kills, small: 4 tasks, 2 kills. The ten tasks and five kills are in
 * `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { productFolder } from './build.ts'
import { newTally } from './oracle.ts'
import { planKills } from './plan-kills.ts'

test('[WK5] [AP8] a gated plan of two agents ends through kills with only decisions', async () => {
  const { tally, kills } = await planKills({
    build: productFolder,
    seed: 'npm test',
    pairs: 2,
    kills: 2,
  })
  expect([tally, kills]).toEqual([newTally(), 2])
})
