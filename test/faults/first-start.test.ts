/** UI6 across kill -9, small: three moments of a first start. Every call of git and sixty other moments are in `npm run test:faults`. */
import { expect, test } from 'vitest'
import { productFolder } from './build.ts'
import { begunByAnything } from './controls.ts'
import { gitCalls, killedFirstStarts } from './first-start.ts'
import { newTally } from './oracle.ts'
import { withBuild } from './parts/part.ts'

const some = gitCalls.filter(({ name }) => ['before git init', 'after git add', 'after git commit'].includes(name))

test('[UI6] a first start killed on its way is finished by the next: the demo project, its agents, a whole repository', async () => {
  expect(some).toHaveLength(3)
  expect(await killedFirstStarts(productFolder, some)).toEqual(newTally())
})

test('[UI6] control: a build that takes any event for a begin is caught', async () => {
  const tally = await withBuild([begunByAnything], (build) => killedFirstStarts(build, some.slice(0, 1), { patienceMs: 2000 }))
  expect(tally.lost).toBe(1)
})
