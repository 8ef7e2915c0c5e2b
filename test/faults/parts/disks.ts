/** RE2, RE3 and CK3: disks that forget and disks that fail. */
import { Worker } from 'node:worker_threads'
import { productFolder } from '../build.ts'
import type { Change } from '../changes.ts'
import * as controls from '../controls.ts'
import { type FaultPlan, ioErrors } from '../io-errors.ts'
import { ioErrorsOfFiles } from '../io-errors-of-files.ts'
import { isClean } from '../oracle.ts'
import { powerCutsOfFiles } from '../power-cut/files.ts'
import type { PowerCutOptions, PowerCutResult } from '../power-cut/power-cut.ts'
import { powerCutsOfServer } from '../power-cut/server.ts'
import { everyOther, inLanes, sum, timed, withBuild, withShim } from './part.ts'

const imagesOf = (results: readonly PowerCutResult[]): string =>
  `${sum(results, (one) => one.images)} disk images, ${sum(results, (one) => one.acknowledged)} writes acknowledged`

export const powerCut = withShim('RE2', 'power cut', async (bench, library) => [
  await timed(async () => {
    const { results, tally } = await inLanes(bench, bench.points(20_000), (seed, images, lane) =>
      withBuild(everyOther(lane), (build) => inThread({ library, build, seed, images })),
    )
    const broken = await withBuild([controls.synchronousNormal], (build) =>
      inThread({ library, build, seed: bench.seed, images: 400, stopEarly: true }),
    )
    const caught = [{ name: 'synchronous=NORMAL', caught: broken.tally.lost > 0 }]
    return {
      rule: 'RE2',
      test: 'power cut, store',
      points: imagesOf(results),
      seed: bench.seed,
      tally,
      controls: caught,
    }
  }),
  await timed(async () => {
    const { results, tally } = await inLanes(bench, bench.points(1000), (seed, images) =>
      powerCutsOfServer({ library, build: productFolder, seed, images }),
    )
    const broken = await withBuild([controls.renameUnsynced], (build) =>
      powerCutsOfServer({ library, build, seed: bench.seed, images: 400, stopEarly: true }),
    )
    const caught = [{ name: 'files renamed unsynced', caught: !isClean(broken.tally) }]
    return {
      rule: 'RE2',
      test: 'power cut, whole server',
      points: imagesOf(results),
      seed: bench.seed,
      tally,
      controls: caught,
    }
  }),
])

function inThread(options: PowerCutOptions): Promise<PowerCutResult> {
  return new Promise((resolve, reject) => {
    const lane = new Worker(new URL('../processes/power-cut-lane.ts', import.meta.url), {
      workerData: options,
    })
    lane.once('message', resolve)
    lane.once('error', reject)
  })
}

export const files = withShim('CK3', 'files', async ({ seed, points }, library) => [
  await timed(async () => {
    const cut = (build: string, images: number, stopEarly = false) =>
      powerCutsOfFiles({ library, build, seed, images, stopEarly })
    const result = await cut(productFolder, points(5000))
    const caught = async (name: string, change: Change) => {
      const broken = await withBuild([change], (build) => cut(build, 400, true))
      return { name, caught: !isClean(broken.tally) }
    }
    const found = [
      await caught('no fsync', controls.renameUnsynced),
      await caught('no fsync of the folder', controls.folderUnsynced),
    ]
    return {
      rule: 'CK3',
      test: 'power cut, files',
      points: imagesOf([result]),
      seed,
      tally: result.tally,
      controls: found,
    }
  }),
  await timed(async () => {
    const { points: done, tally } = await ioErrorsOfFiles({
      library,
      build: productFolder,
      seed,
      points: points(100),
    })
    const broken = await withBuild([controls.ignoreFailedSync], (build) =>
      ioErrorsOfFiles({ library, build, seed, points: 60, stopEarly: true }),
    )
    const caught = [{ name: 'swallowed fsync error', caught: !isClean(broken.tally) }]
    return {
      rule: 'RE3',
      test: 'I/O errors, files',
      points: `${done} failures`,
      seed,
      tally,
      controls: caught,
    }
  }),
])

export const io = withShim('RE3', 'I/O errors', async (bench, library) => [
  await timed(async () => {
    const { seed } = bench
    const { results, tally } = await inLanes(bench, bench.points(300), (laneSeed, share, lane) =>
      withBuild(everyOther(lane), (build) =>
        ioErrors({ library, build, seed: laneSeed, points: share, plan: 'any' }),
      ),
    )
    const lies = await ioErrors({
      library,
      build: productFolder,
      seed,
      points: 2,
      plan: 'every sync is a lie',
      stopEarly: true,
    })
    const caught = async (
      name: string,
      change: Change,
      plan: FaultPlan = 'failed sync, then killed',
    ) => {
      const options = { library, seed, points: 10, plan, stopEarly: true } as const
      const broken = await withBuild([change], (build) => ioErrors({ ...options, build }))
      return { name, caught: broken.tally.lost + broken.tally.torn > 0 }
    }
    const found = [
      { name: 'swallowed fsync error', caught: lies.tally.lost > 0 },
      await caught('failed commit acknowledged', controls.ignoreFailedCommit),
      await caught('log left by a failed fsync trusted', controls.trustsLeftLog),
      await caught(
        'failed fsync of the folder ignored',
        controls.trustsNames,
        'failed sync while opening',
      ),
      await caught('written on after a failed fsync', controls.goesOnAfterFailure, 'failed sync'),
    ]
    const points = `${sum(results, (one) => one.points)} failures, ${sum(results, (one) => one.acknowledged)} writes acknowledged`
    return { rule: 'RE3', test: 'I/O errors, store', points, seed, tally, controls: found }
  }),
])
