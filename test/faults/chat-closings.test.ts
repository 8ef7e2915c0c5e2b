/**
 * Closings and kills in the middle of turns, small: with the agent that is prompted, in
 * `npm run test:release` with the one that pulls too. The 200 of them and the build that runs a
 * message twice are in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { chatClosings } from './chat-closings.ts'
import { newTally } from './oracle.ts'

test.each(amount(['acp'] as const, ['acp', 'mcp'] as const))(
  '[NA5] [CX6] each message is answered once by one process through closings and kills (%s)',
  async (demo) => {
    const { tally, deeds } = await chatClosings({
      build: productFolder,
      // Each of what is done at least once, and the server killed once.
      seed: 'npm test 44',
      turns: 2,
      demo,
    })
    expect(tally).toEqual(newTally())
    expect([deeds.close, deeds.killServer, deeds.killAgent].every((times) => times > 0)).toBe(true)
  },
)
