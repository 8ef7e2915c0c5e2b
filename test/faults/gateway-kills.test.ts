/**
 * GW5, small: 1 kill, 3 in `npm run test:release`; the 200, and the builds that must be caught, are
 * in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { gatewayAcrossKills } from './gateway-kills.ts'
import { newTally } from './oracle.ts'

test('[GW2] [GW4] [GW5] requests to models are counted once after kills, keys hidden', async () => {
  const { tally, requests } = await gatewayAcrossKills({
    build: productFolder,
    seed: 'npm test',
    kills: amount(1, 3),
  })
  expect(tally).toEqual(newTally())
  expect(requests).toBeGreaterThanOrEqual(amount(1, 3))
})
