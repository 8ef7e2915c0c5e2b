/**
 * FS5 to FS9, small: 5 kills, 50 in `npm run test:release`; the 2,000, and the builds that must be
 * caught, are in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { filesAcrossKills } from './file-kills.ts'
import { fileSteps } from './file-steps.ts'
import { newTally } from './oracle.ts'

test.for(amount(['one'], ['one', 'two']))(
  '[FS5] [FS6] [FS7] a state, a rewind and a fork are whole after a kill at a call of git: %s',
  async (seed) => {
    const { tally, steps } = await fileSteps({ build: productFolder, seed, kills: amount(3, 20) })
    expect(tally).toEqual(newTally())
    expect(steps.size).toBeGreaterThan(amount(1, 5))
  },
)

test('[FS7] [FS8] [FS9] files and conversation agree after kills, and none is lost', async () => {
  // A server takes longest to start, and a turn needs an agent.
  const victims = ['coordinator', 'coordinator', 'coordinator', 'coordinator', 'server'] as const
  const most = amount(2, 10)
  const kinds = ['rewind', 'undo', 'fork', 'turn'] as const
  const { kills, tally } = await filesAcrossKills({
    build: productFolder,
    seed: 'npm test',
    kills: most,
    kinds,
    victims,
  })
  expect(tally).toEqual(newTally())
  expect(kills).toBe(most)
})
