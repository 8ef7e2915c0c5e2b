/**
 * RE1 and RE10, small: 6 kills, 20 in `npm run test:release`. The 500 of them are in
 * `npm run test:faults`.
 */
import { describe, expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { newPostgresUrl } from '../support/postgres.ts'
import { changedBuild } from './broken-build.ts'
import { productFolder } from './build.ts'
import { acknowledgeBeforeCommit, smallCheckpoints } from './controls.ts'
import { kills } from './kill.ts'
import { serverKills } from './kill-server.ts'
import { killedMigrations } from './migrations.ts'
import { newTally } from './oracle.ts'
import { buildShim } from './power-cut/shim.ts'

const seed = 'npm test'
const shim = await buildShim()
const library = 'library' in shim ? shim.library : undefined

describe('kill -9', () => {
  test('[RE1] a store killed at random and enumerated points loses and tears nothing', async () => {
    const build = await changedBuild([smallCheckpoints])
    try {
      const [first, second] = await Promise.all([
        kills({ build: productFolder, seed: `${seed} a`, kills: amount(2, 7), library }),
        kills({ build: build.folder, seed: `${seed} b`, kills: amount(2, 7), library }),
      ])
      expect([first.tally, second.tally]).toEqual([newTally(), newTally()])
      expect(first.acknowledged + second.acknowledged).toBeGreaterThan(amount(15, 60))
    } finally {
      await build.remove()
    }
  })

  test('[RE1] a killed server keeps what it acknowledged, and a client has all once', async () => {
    const { tally, acknowledged } = await serverKills({
      build: productFolder,
      seed,
      kills: amount(1, 4),
    })
    expect(tally).toEqual(newTally())
    expect(acknowledged).toBeGreaterThan(amount(5, 20))
  })

  test('[RE1] a server killed on PostgreSQL keeps what it acknowledged', async () => {
    const { tally, acknowledged } = await kills({
      build: productFolder,
      seed,
      kills: amount(1, 2),
      newUrl: newPostgresUrl,
    })
    expect(tally).toEqual(newTally())
    expect(acknowledged).toBeGreaterThan(amount(10, 20))
  })

  test('[RE1] control: a build that acknowledges before the commit is caught', async () => {
    const build = await changedBuild([acknowledgeBeforeCommit])
    try {
      const { tally } = await kills({ build: build.folder, seed, kills: 12, stopEarly: true })
      expect(tally.lost).toBeGreaterThan(0)
    } finally {
      await build.remove()
    }
  })

  test('[RE10] migrations killed at a statement are whole after the next start', async () => {
    const { kills: killed, tally } = await killedMigrations({ step: amount(120, 41), lanes: 2 })
    expect(tally).toEqual(newTally())
    expect(killed).toBeGreaterThan(amount(0, 2))
  })
})
