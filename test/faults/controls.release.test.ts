/**
 * Builds broken on purpose that their tests must catch, small: the whole is in
 * `npm run test:faults`, and the cheapest are in `npm test`.
 */
import { expect, test } from 'vitest'
import { newPostgresUrl } from '../support/postgres.ts'
import { temporaryFolder } from '../support/store.ts'
import {
  begunByAnything,
  chapterNotLeft,
  epochCheckedTooEarly,
  filesInPlace,
  ignoreFailedCommit,
  migrateWithoutTransaction,
  noteInPlace,
  synchronousNormal,
  tasksStayBehind,
  unboundedLog,
} from './controls.ts'
import { cutoverKills } from './cutover-kills.ts'
import { fencing } from './fencing.ts'
import { gitCalls, killedFirstStarts } from './first-start.ts'
import { ioErrors } from './io-errors.ts'
import { sustainedLoad, walLimitBytes } from './large-store.ts'
import { killedMigrations } from './migrations.ts'
import { withBuild } from './parts/part.ts'
import { powerCuts } from './power-cut/power-cut.ts'
import { buildShim } from './power-cut/shim.ts'
import { workKills } from './work-kills.ts'

const seed = 'npm test'
const shim = await buildShim()
/** Where there is none, disk.test.ts says so. */
const library = 'library' in shim ? shim.library : undefined

test.each([
  ['closes a chapter without taking it from what agents are handed', chapterNotLeft],
  ['writes notes in place', noteInPlace],
] as const)('[DC4] control: a build that %s is caught', async (_, change) => {
  const options = { conversations: 4, kills: 3, lanes: 2, stopEarly: true }
  const { tally } = await withBuild([change], (build) => cutoverKills({ build, ...options }))
  expect(tally.torn).toBeGreaterThan(0)
})

test('[RE5] control: a build that checks before the transaction instead is caught', async () => {
  const options = { url: await newPostgresUrl(), seed, rounds: 60, stopEarly: true }
  const { tally } = await withBuild([epochCheckedTooEarly], (build) =>
    fencing({ build, ...options }),
  )
  expect(tally.torn).toBeGreaterThan(0)
})

test('[UI6] control: a build that takes any event for a begin is caught', async () => {
  const moments = gitCalls.filter(({ name }) => name === 'before git init')
  const tally = await withBuild([begunByAnything], (build) =>
    killedFirstStarts(build, moments, { patienceMs: 2000 }),
  )
  expect(tally.lost).toBe(1)
})

test('[RE10] control: migrations without a transaction are caught', async () => {
  const { tally } = await killedMigrations({
    changes: [migrateWithoutTransaction],
    step: 61,
    lanes: 2,
  })
  expect(tally.torn).toBeGreaterThan(0)
})

test('[RE7] control: a writer that waits for no reader is caught', async () => {
  const folder = await temporaryFolder()
  const { largestWal } = await withBuild([unboundedLog], (build) =>
    sustainedLoad(build, folder, 60_000_000),
  )
  expect(largestWal).toBeGreaterThan(walLimitBytes)
})

test.each([
  ['writes files in place', filesInPlace, { whenTorn: true }],
  ['leaves the tasks behind when work is resumed', tasksStayBehind, {}],
] as const)('[CK4] control: a build that %s is caught', async (_, change, options) => {
  const { tally } = await withBuild([change], (build) =>
    workKills({ build, seed, kills: 8, stopEarly: true, ...options }),
  )
  expect(tally.torn).toBeGreaterThan(0)
})

if (library !== undefined) {
  test('[RE2] control: a build with synchronous=NORMAL is caught', async () => {
    const cut = (build: string) => powerCuts({ library, build, seed, images: 100, stopEarly: true })
    expect((await withBuild([synchronousNormal], cut)).tally.lost).toBeGreaterThan(0)
  })

  test('[RE3] control: a build that acknowledges a failed commit is caught', async () => {
    const options = {
      library,
      seed,
      points: 6,
      anywhere: 1,
      stopEarly: true,
      plan: 'failed sync, then killed',
    } as const
    const broken = await withBuild([ignoreFailedCommit], (build) => ioErrors({ ...options, build }))
    expect(broken.tally.lost).toBeGreaterThan(0)
  })
}
