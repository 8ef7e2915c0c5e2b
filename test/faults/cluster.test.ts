/**
 * SC3, small: a node killed under load, and in `npm run test:release` one drained too. The 120
 * faults are in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { newPostgresUrl, usePostgres } from '../support/postgres.ts'
import { productFolder } from './build.ts'
import { clusterFaults } from './cluster/cluster-faults.ts'
import { newTally } from './oracle.ts'

usePostgres()

test('[SC1] [SC3] [RL4] everybody goes on at another node when theirs is killed', async () => {
  const faults = { kill: 1, drain: amount(0, 1) }
  const url = await newPostgresUrl()
  const small = { nodes: 2, coordinators: 1, busyMachine: true }
  const result = await clusterFaults({
    build: productFolder,
    url,
    seed: 'npm test',
    faults,
    ...small,
  })
  expect(result.tally).toEqual(newTally())
  expect(result.acknowledged).toBeGreaterThan(10)
  expect(result.answered).toBeGreaterThan(3)
  // Only that they come back: how fast is measured where the machine has nothing else to do.
  expect([...result.times.kill, ...result.times.drain].every(Number.isFinite)).toBe(true)
}, 120_000)
