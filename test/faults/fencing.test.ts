/** RE5, small: 30 coordinators replaced while they speak; the 500 are in `npm run test:faults`. */
import { expect, test } from 'vitest'
import { newPostgresUrl } from '../support/postgres.ts'
import { changedBuild } from './broken-build.ts'
import { productFolder } from './build.ts'
import type { Change } from './changes.ts'
import { epochCheckedTooEarly, noEpochCheck } from './controls.ts'
import { fencing } from './fencing.ts'
import { newTally } from './oracle.ts'

const seed = 'npm test'

test('[RE5] a coordinator that is replaced while it speaks is believed until then, and never afterwards', async () => {
  const { tally, overtaken, rounds } = await fencing({ build: productFolder, url: await newPostgresUrl(), seed, rounds: 30 })
  expect(tally).toEqual(newTally())
  // Both orders happened.
  expect(overtaken).toBeGreaterThan(0)
  expect(overtaken).toBeLessThan(rounds)
})

const controls: [string, readonly Change[]][] = [
  ['no epoch check', [noEpochCheck]],
  ['a check before the transaction instead of inside it', [epochCheckedTooEarly]],
]

test.each(controls)('[RE5] control: a build with %s is caught', async (_name, changes) => {
  const build = await changedBuild(changes)
  try {
    const { tally } = await fencing({ build: build.folder, url: await newPostgresUrl(), seed, rounds: 60, stopEarly: true })
    expect(tally.torn).toBeGreaterThan(0)
  } finally {
    await build.remove()
  }
})
