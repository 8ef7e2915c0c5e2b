/**
 * A cutover killed at some of its steps. All of them, with 50 conversations, and the builds that
 * must be caught are in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { cutoverKills } from './cutover-kills.ts'
import { newTally } from './oracle.ts'

test('[DC2] [DC4] a chapter killed at any step is closed once, and in its note once', async () => {
  const options = { conversations: amount(2, 4), kills: amount(1, 3), lanes: 2 }
  const { kills, tally } = await cutoverKills({ build: productFolder, ...options })
  expect(tally).toEqual(newTally())
  expect(kills).toBeGreaterThanOrEqual(amount(4, 6))
})
