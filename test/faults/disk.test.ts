/**
 * RE2, RE3 and CK3, small: 3 power cuts and 3 I/O errors, more in `npm run test:release`; the
 * 20,000 and 300 are in `npm run test:faults`. They need a C compiler and Linux; a machine without
 * them is told so, and a build machine (CI) fails.
 */
import { describe, expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { folderUnsynced, renameUnsynced, smallCheckpoints } from './controls.ts'
import { type FaultPlan, ioErrors } from './io-errors.ts'
import { ioErrorsOfFiles } from './io-errors-of-files.ts'
import { isClean, newTally } from './oracle.ts'
import { withBuild } from './parts/part.ts'
import { powerCutsOfFiles } from './power-cut/files.ts'
import { powerCuts } from './power-cut/power-cut.ts'
import { powerCutsOfServer } from './power-cut/server.ts'
import { buildShim } from './power-cut/shim.ts'

const seed = 'npm test'
const shim = await buildShim()

function diskTests(library: string): void {
  test('[RE2] power cuts lose nothing acknowledged and leave nothing corrupt', async () => {
    const [first, second] = await Promise.all([
      powerCuts({ library, build: productFolder, seed, images: amount(1, 20) }),
      withBuild([smallCheckpoints], (build) =>
        powerCuts({ library, build, seed, images: amount(2, 30) }),
      ),
    ])
    expect([first.tally, second.tally]).toEqual([newTally(), newTally()])
  })

  test('[CK3] a replaced file is the old or the new one whole after a power cut', async () => {
    const { tally } = await powerCutsOfFiles({
      library,
      build: productFolder,
      seed,
      images: amount(20, 60),
    })
    expect(tally).toEqual(newTally())
  })

  test('[CK3] control: files or folders that are not synced are caught', async () => {
    const cut = (build: string) =>
      powerCutsOfFiles({ library, build, seed, images: 100, stopEarly: true })
    expect(isClean((await withBuild([renameUnsynced], cut)).tally)).toBe(false)
    expect(isClean((await withBuild([folderUnsynced], cut)).tally)).toBe(false)
  })

  test('[RE3] I/O errors acknowledge nothing falsely, and the store says why', async () => {
    const fail = (plan: FaultPlan, points: number) =>
      ioErrors({ library, build: productFolder, seed, points, plan, anywhere: 1 })
    const [any, [opening, killed]] = await Promise.all([
      fail('any', amount(1, 4)),
      fail('failed sync while opening', amount(1, 2)).then(
        async (first) => [first, await fail('failed sync, then killed', 1)] as const,
      ),
    ])
    expect([any.tally, opening.tally, killed.tally]).toEqual([newTally(), newTally(), newTally()])
    expect(any.points + opening.points + killed.points).toBe(amount(3, 7))
  })

  test('[RE3] a file that cannot be written, synced or renamed stays what it was', async () => {
    const { tally } = await ioErrorsOfFiles({
      library,
      build: productFolder,
      seed,
      points: amount(3, 6),
    })
    expect(tally).toEqual(newTally())
  })

  test('[RE2] the whole server comes up after a power cut, with lock and token whole', async () => {
    const { tally, acknowledged } = await powerCutsOfServer({
      library,
      build: productFolder,
      seed,
      images: amount(3, 12),
    })
    expect(tally).toEqual(newTally())
    expect(acknowledged).toBeGreaterThan(amount(10, 20))
  })

  test('[RE3] control: syncs that lie are caught', async () => {
    const options = { library, seed, points: 6, anywhere: 1, stopEarly: true }
    const lies = await ioErrors({ ...options, build: productFolder, plan: 'every sync is a lie' })
    expect(lies.tally.lost).toBeGreaterThan(0)
  })
}

describe('a disk that forgets and fails', () => {
  if ('library' in shim) diskTests(shim.library)
  else {
    test('[RE2] what this machine cannot test is said, and fails on a build machine', () => {
      console.warn(`Disks that forget and fail are not tested on this machine: ${shim.missing}`)
      expect(process.env['CI'], shim.missing).toBeUndefined()
    })
  }
})
