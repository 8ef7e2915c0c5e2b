/**
 * CK3 under RE2: files that are replaced are the old or the new one after a power cut, never a part
 * and never gone; one that was said to be written is there, and so is the folder it lies in.
 */
import { addTo, isClean, newTally } from '../oracle.ts'
import { chance } from '../random.ts'
import { Disk } from './disk.ts'
import type { DiskRecord } from './disk-log.ts'
import type { FilesTask } from './files-task.ts'
import { judgeFiles, type Kept, takeKept } from './judge-files.ts'
import type { PowerCutOptions, PowerCutResult } from './power-cut.ts'
import { record, watchedFolder } from './recording.ts'
import { scratchFolder } from './scratch.ts'
import { drawWeather } from './weather.ts'

const versions = 12

export async function powerCutsOfFiles({
  library,
  build,
  seed,
  images,
  stopEarly,
}: PowerCutOptions): Promise<PowerCutResult> {
  const scratch = await scratchFolder()
  const tally = newTally()
  const kept: Kept = new Map()
  const result = { images: 0, acknowledged: 0, tally }
  try {
    const task: FilesTask = { folder: watchedFolder(scratch.folder), versions }
    const { records, ends } = await record({
      library,
      scratch: scratch.folder,
      build,
      script: 'files-under-load',
      steps: [{ task: () => task }],
    })
    if (ends[0]?.code !== 0) throw new Error(`The files could not be written: ${ends[0]?.errors}`)
    const dice = chance(seed)
    const cuts = Array.from({ length: images }, () => dice.below(records.length + 1)).sort(
      (a, b) => a - b,
    )
    const disk = new Disk()
    let played = 0
    for (const cut of cuts) {
      for (; played < cut; played++) {
        const one = records[played] as DiskRecord
        disk.play(one)
        if (one.type === 'reported') result.acknowledged += takeKept(kept, one.text)
      }
      const weather = drawWeather(dice.fork(result.images++), played)
      addTo(
        tally,
        judgeFiles(disk.afterPowerCut(weather), kept),
        `seed ${seed}, cut after record ${cut} (${weather.name})`,
      )
      if (stopEarly && !isClean(tally)) break
    }
    return result
  } finally {
    await scratch.remove()
  }
}
