/**
 * US5 and RL4, small: 3 agents, 10 user sessions, 20 sockets, 3 cuts, more in
 * `npm run test:release`; the 50, 200 and 1,000, and 200 cuts, are in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { consoles } from './consoles/consoles.ts'
import { cuts } from './consoles/cuts.ts'
import { newTally } from './oracle.ts'

test('[US5] a crowd of agents answers, and every socket sees the same once', async () => {
  const { tally } = await consoles({
    build: productFolder,
    agents: 3,
    userSessions: 10,
    sockets: amount(20, 50),
    stalls: false,
  })
  expect(tally).toEqual(newTally())
})

test('[RL4] two devices that are cut while the server dies see the same whole log', async () => {
  const { tally, kills } = await cuts({
    build: productFolder,
    seed: 'small',
    cuts: amount(3, 10),
    kills: 1,
  })
  expect([tally, kills]).toEqual([newTally(), 1])
})
