/**
 * Conversations that share an agent, small: with the agent that is prompted, in
 * `npm run test:release` with the one that pulls too. The 300 messages, and the build that keeps
 * nobody apart, are in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { isolation } from './isolation.ts'
import { newTally } from './oracle.ts'

const asked: [demo: 'acp' | 'mcp', messages: number][] = amount(
  [['acp', 12]],
  [
    ['acp', 24],
    ['mcp', 16],
  ],
)

test.each(asked)(
  '[CX1] no context of two agents (%s) holds what another chat, group or page was told',
  async (demo, messages) => {
    const { tally, recalled } = await isolation({
      build: productFolder,
      seed: 'npm test',
      messages,
      demo,
    })
    expect([tally, recalled > messages]).toEqual([newTally(), true])
  },
)
