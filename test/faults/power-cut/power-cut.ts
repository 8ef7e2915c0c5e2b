/**
 * RE2: the power fails. Processes work on a watched disk; then, for thousands of moments, the disk
 * is rebuilt as a power cut might have left it, and everything acknowledged before that moment must
 * be on it. kill -9 cannot see this: the kernel survives it and still writes what was never synced.
 */
import { join } from 'node:path'
import { checkImage } from '../examine.ts'
import { Ledger, type LoadReport } from '../ledger.ts'
import { addTo, isClean, newTally, type Tally } from '../oracle.ts'
import type { LoadTask } from '../processes/store-under-load.ts'
import { type Chance, chance } from '../random.ts'
import { Disk } from './disk.ts'
import type { DiskRecord } from './disk-log.ts'
import { record, watchedFolder } from './recording.ts'
import { scratchFolder, writeImage } from './scratch.ts'
import { drawWeather } from './weather.ts'

export interface PowerCutOptions {
  readonly library: string
  readonly build: string
  readonly seed: string
  readonly images: number
  /** Stop at the first finding: enough for a control. */
  readonly stopEarly?: boolean
}

export interface PowerCutResult {
  readonly images: number
  readonly acknowledged: number
  readonly tally: Tally
}

/** Images per recording: many moments of one life of the store, and many lives. */
const imagesPerRecording = 400

export async function powerCuts(options: PowerCutOptions): Promise<PowerCutResult> {
  const tally = newTally()
  const total = { images: 0, acknowledged: 0, tally }
  for (let life = 0; total.images < options.images; life++) {
    const images = Math.min(imagesPerRecording, options.images - total.images)
    const result = await oneLife({ ...options, seed: `${options.seed}/${life}`, images }, tally)
    total.images += result.images
    total.acknowledged += result.acknowledged
    if (options.stopEarly && !isClean(tally)) break
  }
  return total
}

async function oneLife(
  options: PowerCutOptions,
  tally: Tally,
): Promise<Omit<PowerCutResult, 'tally'>> {
  const { library, build, seed } = options
  const scratch = await scratchFolder()
  try {
    const dice = chance(seed)
    const steps = tasksOf(dice, seed, watchedFolder(scratch.folder)).map((task) => ({
      task: () => task,
    }))
    const { records, ends } = await record({
      library,
      scratch: scratch.folder,
      build,
      script: 'store-under-load',
      steps,
    })
    for (const end of ends)
      if (end.code !== 0)
        throw new Error(`The store under load ended with ${end.code}: ${end.errors}`)
    return await cutAndCheck(records, dice, join(scratch.folder, 'image'), options, tally)
  } finally {
    await scratch.remove()
  }
}

/**
 * Two or three processes one after the other: the disk sees first openings, orderly ends and
 * openings again.
 */
const tasksOf = (dice: Chance, seed: string, folder: string): LoadTask[] =>
  Array.from({ length: 2 + dice.below(2) }, (_, run) => ({
    place: { folder },
    seed: `${seed}/${run}`,
    run: String(run),
    writers: 1 + dice.below(6),
    each: 10 + dice.below(25),
    again: [],
  }))

async function cutAndCheck(
  records: readonly DiskRecord[],
  dice: Chance,
  folder: string,
  { seed, images, stopEarly }: PowerCutOptions,
  tally: Tally,
): Promise<Omit<PowerCutResult, 'tally'>> {
  const disk = new Disk()
  const ledger = new Ledger()
  let [played, checked] = [0, 0]
  for (const cut of momentsOf(records, dice, images)) {
    playRecords(records.slice(played, cut), disk, ledger)
    played = cut
    const weather = drawWeather(dice.fork(checked++), played)
    await writeImage(folder, disk.afterPowerCut(weather))
    const where = `seed ${seed}, cut after record ${cut} of ${records.length} (${weather.name})`
    addTo(tally, await checkImage(folder, ledger), where)
    if (stopEarly && !isClean(tally)) break
  }
  return { images: checked, acknowledged: ledger.acknowledged.size }
}

/**
 * Half of the moments anywhere, half right behind an acknowledgement: there the promise is
 * freshest. In order of time.
 */
export function momentsOf(records: readonly DiskRecord[], dice: Chance, images: number): number[] {
  const acknowledged = records.flatMap((one, index) =>
    one.type === 'reported' && one.text.includes('"acknowledged"') ? [index + 1] : [],
  )
  const moment = (): number =>
    dice.one(0.5) && acknowledged.length > 0
      ? dice.pick(acknowledged)
      : dice.below(records.length + 1)
  return Array.from({ length: images }, moment).sort((a, b) => a - b)
}

/** Plays records onto a disk and enters what they report into the ledger. */
export function playRecords(records: readonly DiskRecord[], disk: Disk, ledger: Ledger): void {
  for (const one of records) {
    disk.play(one)
    if (one.type === 'reported') takeReports(ledger, one.text)
  }
}

export function takeReports(ledger: Ledger, text: string): void {
  for (const line of text.split('\n')) if (line) ledger.take(JSON.parse(line) as LoadReport)
}
