/** US5, small: 3 agents, 10 user sessions, 50 sockets; the 50, 200 and 1,000 are in `npm run test:faults`. */
import { expect, test } from 'vitest'
import { productFolder } from './build.ts'
import { consoles } from './consoles/consoles.ts'
import { newTally } from './oracle.ts'

test('[US5] agents side by side all answer, user sessions come beside them, and every socket sees the same once', async () => {
  const { tally } = await consoles({ build: productFolder, agents: 3, userSessions: 10, sockets: 50, stalls: false })
  expect(tally).toEqual(newTally())
})
