/**
 * What an agent still knows (CX2, CX4), by its own words: the demo agents say all they were told.
 * The one that pulls: `npm run test:release`. Agents of others: `npm run test:agents`.
 */
import { test } from 'vitest'
import { demos } from '../support/chat.ts'
import { amount } from '../support/extent.ts'
import { keepsInMind } from '../support/kept-in-mind.ts'

test.each(amount(['acp'] as const, ['acp', 'mcp'] as const))(
  '[CX2] [CX4] a fact is known after a kill, a sleep, a closed panel and a killed server (%s); after a reset and a cutover it is not',
  (demo) =>
    keepsInMind(demos[demo], async (chat) => {
      await chat.say('[[recall]]')
      return chat.answer()
    }),
)
