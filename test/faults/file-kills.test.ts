/** FS5 to FS8, small: 50 kills; the 1,000, and the builds that must be caught, are in `npm run test:faults`. */
import { expect, test } from 'vitest'
import { productFolder } from './build.ts'
import { filesAcrossKills } from './file-kills.ts'
import { newTally } from './oracle.ts'

test('[FS5] [FS7] [FS8] [FS9] files and conversation agree after 50 kills of coordinator and server, and nothing of the person’s is lost', async () => {
  const { kills, tally, steps } = await filesAcrossKills({
    build: productFolder,
    seed: 'npm test',
    kills: 50,
    // A server takes longest to start, and a turn needs an agent.
    kinds: ['rewind', 'rewind', 'rewind', 'rewind', 'undo', 'undo', 'fork', 'fork', 'fork', 'turn'],
    victims: [...Array.from({ length: 10 }, () => 'coordinator' as const), 'server', 'both'],
  })
  expect(tally).toEqual(newTally())
  expect(kills).toBe(50)
  expect(steps.size).toBeGreaterThan(10)
})
