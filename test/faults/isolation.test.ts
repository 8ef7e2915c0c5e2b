/** Conversations that share an agent, small: the 300 messages, and the build that keeps nobody apart, are in `npm run test:faults`. */
import { expect, test } from 'vitest'
import { productFolder } from './build.ts'
import { isolation } from './isolation.ts'
import { newTally } from './oracle.ts'

test.each([
  ['acp', 24],
  ['mcp', 16],
] as const)(
  '[CX1] two chats, a group and the web with one agent (%s) and a second behind it: no context holds what another was told',
  async (demo, messages) => {
    const { tally, recalled } = await isolation({ build: productFolder, seed: 'npm test', messages, demo })
    expect([tally, recalled > messages]).toEqual([newTally(), true])
  },
)
