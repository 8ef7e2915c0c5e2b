/**
 * Work that goes on after a kill, small: 2 kills, 4 in `npm run test:release`. The 100 of them are
 * in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { newTally } from './oracle.ts'
import { workKills } from './work-kills.ts'

test('[CK4] [RS1] work killed in the middle loses nothing, and resumes as logged', async () => {
  const runs = await Promise.all(
    amount(['a'], ['a', 'b']).map((lane) =>
      workKills({ build: productFolder, seed: `npm test ${lane}`, kills: 2 }),
    ),
  )
  const sum = (of: (run: (typeof runs)[number]) => number): number =>
    runs.reduce((total, run) => total + of(run), 0)
  expect(runs.map(({ tally }) => tally)).toEqual(runs.map(newTally))
  expect(sum(({ acknowledged }) => acknowledged)).toBeGreaterThan(amount(10, 20))
  expect(sum(({ resumed }) => resumed)).toBeGreaterThan(amount(0, 2))
})
