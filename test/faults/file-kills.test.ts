/** FS5 to FS9, small: 50 kills; the 2,000, and the builds that must be caught, are in `npm run test:faults`. */
import { expect, test } from 'vitest'
import { productFolder } from './build.ts'
import { filesAcrossKills } from './file-kills.ts'
import { fileSteps } from './file-steps.ts'
import { newTally } from './oracle.ts'

test.for(['one', 'two'])(
  '[FS5] [FS6] [FS7] a state, a rewind and a fork killed 20 times at a call of git are whole when they are asked for again: %s',
  async (seed) => {
    const { tally, steps } = await fileSteps({ build: productFolder, seed, kills: 20 })
    expect(tally).toEqual(newTally())
    expect(steps.size).toBeGreaterThan(5)
  },
)

test('[FS7] [FS8] [FS9] files and conversation agree after 10 kills of coordinator and server, and nothing of the person’s is lost', async () => {
  // A server takes longest to start, and a turn needs an agent.
  const victims = ['coordinator', 'coordinator', 'coordinator', 'coordinator', 'server'] as const
  const kinds = ['rewind', 'undo', 'fork', 'turn'] as const
  const { kills, tally } = await filesAcrossKills({ build: productFolder, seed: 'npm test', kills: 10, kinds, victims })
  expect(tally).toEqual(newTally())
  expect(kills).toBe(10)
})
