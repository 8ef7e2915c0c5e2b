/**
 * RE3 for files that are replaced (CK3): a write, sync, creation or rename that fails or is cut
 * short leaves the old file or the new one, whole, says nothing was kept that was not, and leaves
 * no temporary file behind.
 */
import { addTo, isClean, newTally, noFindings, type Tally } from './oracle.ts'
import { Disk } from './power-cut/disk.ts'
import type { FilesTask } from './power-cut/files-task.ts'
import { judgeFiles, type Kept, takeKept } from './power-cut/judge-files.ts'
import type { PowerCutOptions } from './power-cut/power-cut.ts'
import { record, watchedFolder } from './power-cut/recording.ts'
import { readFolder, scratchFolder } from './power-cut/scratch.ts'
import type { Fault } from './power-cut/shim.ts'
import { nothingUnsynced } from './power-cut/weather.ts'
import { chance } from './random.ts'

const versions = 6

export async function ioErrorsOfFiles(
  options: Omit<PowerCutOptions, 'images'> & { readonly points: number },
) {
  const tally = newTally()
  let points = 0
  for (; points < options.points && !(options.stopEarly && !isClean(tally)); points++) {
    const dice = chance(`${options.seed}/${points}`)
    const calls = dice.pick(['w', 's', 'r', 'o', 'wsro'])
    const how = dice.pick(['eio', 'enospc', 'short'] as const)
    const fault: Fault = {
      calls,
      how,
      from: 1 + dice.below(calls.length > 1 ? 40 : 14),
      times: dice.pick([1, 3, 0]),
      armedBy: '"opened"',
    }
    await onePoint(
      options,
      fault,
      `seed ${options.seed}, ${how} at call ${fault.from} (${calls})`,
      tally,
    )
  }
  return { points, tally }
}

async function onePoint(
  { library, build }: Pick<PowerCutOptions, 'library' | 'build'>,
  fault: Fault,
  where: string,
  tally: Tally,
) {
  const scratch = await scratchFolder()
  try {
    const folder = watchedFolder(scratch.folder)
    const task: FilesTask = { folder, versions }
    const steps = [{ task: () => task, fault }]
    const { records, ends } = await record({
      library,
      scratch: scratch.folder,
      build,
      script: 'files-under-load',
      steps,
    })
    if (ends[0]?.code !== 0) throw new Error(`The files could not be written: ${ends[0]?.errors}`)
    const [disk, kept] = [new Disk(), new Map() as Kept]
    for (const one of records) {
      disk.play(one)
      if (one.type === 'reported') takeKept(kept, one.text)
    }
    const real = readFolder(folder)
    const left = [...real.keys()].filter((path) => path.endsWith('.tmp'))
    addTo(tally, judgeFiles(real, kept), where)
    addTo(tally, { ...noFindings(), torn: left.map((path) => `${path} was left behind`) }, where)
    addTo(
      tally,
      judgeFiles(disk.afterPowerCut(nothingUnsynced), kept),
      `${where}, then a power cut`,
    )
  } finally {
    await scratch.remove()
  }
}
