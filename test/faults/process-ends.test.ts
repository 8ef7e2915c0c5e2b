/**
 * RE6, small: each way to end once, without the agents that take five seconds; the 50 are in
 * `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { changedBuild } from './broken-build.ts'
import { productFolder } from './build.ts'
import { killByPidAlone } from './controls.ts'
import { newTally } from './oracle.ts'
import { families } from './process-ends/families.ts'
import { processEnds } from './process-ends/process-ends.ts'

const kinds = Object.keys(families).filter((kind) => kind !== 'stubborn')

test('[RE6] however a process ends, nothing of it is left and no bystander is hit', async () => {
  const { tally, processes, cycles } = await processEnds({
    build: productFolder,
    seed: 'npm test',
    cycles: 7,
    kinds,
  })
  expect(tally).toEqual(newTally())
  expect(cycles).toBe(7)
  expect(processes).toBeGreaterThan(20)
})

test('[RE6] control: a build that kills by number alone is caught', async () => {
  const build = await changedBuild([killByPidAlone])
  try {
    const { tally } = await processEnds({
      build: build.folder,
      seed: 'npm test',
      cycles: 2,
      kinds,
      stopEarly: true,
    })
    expect(tally.lost).toBeGreaterThan(0)
  } finally {
    await build.remove()
  }
})
