/**
 * RE3: the disk fails. The n-th write, sync, truncation, creation or removal ends with EIO or
 * ENOSPC, or is cut short, while a process works. Nothing may be acknowledged that is not safe; a
 * store whose disk has failed stops writing and says why; and when it is started again the oracle
 * is content: with the folder as the system sees it, and with what a power cut at that moment would
 * leave, because after a failed sync the system believes bytes to be written that are not.
 */
import { join } from 'node:path'
import { checkImage, examine } from './examine.ts'
import { Ledger, type LoadReport } from './ledger.ts'
import { addTo, isClean, newTally, noFindings, type Tally } from './oracle.ts'
import { Disk } from './power-cut/disk.ts'
import type { DiskRecord } from './power-cut/disk-log.ts'
import { takeReports } from './power-cut/power-cut.ts'
import { record, watchedFolder } from './power-cut/recording.ts'
import { scratchFolder, writeImage } from './power-cut/scratch.ts'
import type { Fault } from './power-cut/shim.ts'
import { drawWeather, nothingUnsynced } from './power-cut/weather.ts'
import type { LoadTask } from './processes/store-under-load.ts'
import { type Chance, chance } from './random.ts'

export interface IoErrorOptions {
  readonly library: string
  readonly build: string
  readonly seed: string
  readonly points: number
  readonly plan: FaultPlan
  /** Power cuts tried after each point at any moment, besides those at the turns. */
  readonly anywhere?: number
  readonly stopEarly?: boolean
}

/** `any`: all kinds of failures. The others are for controls, which need one kind surely. */
export type FaultPlan =
  | 'any'
  | 'failed sync'
  | 'failed sync, then killed'
  | 'failed sync while opening'
  | 'every sync is a lie'

export interface IoErrorResult {
  /** Failures that really happened: those that lie behind the end of the work do not count. */
  readonly points: number
  readonly acknowledged: number
  readonly tally: Tally
}

const defaultAnywhere = 4
const maxTriesPerPoint = 3

export async function ioErrors(options: IoErrorOptions): Promise<IoErrorResult> {
  const total = { points: 0, acknowledged: 0, tally: newTally() }
  for (
    let tries = 0;
    total.points < options.points && tries < options.points * maxTriesPerPoint;
    tries++
  ) {
    const seed = `${options.seed}/${tries}`
    const { met, acknowledged } = await onePoint(
      options,
      seed,
      planned(options.plan, tries, chance(seed)),
      total.tally,
    )
    total.acknowledged += acknowledged
    if (met) total.points++
    if (options.stopEarly && !isClean(total.tally)) break
  }
  return total
}

/** Killed when the failure is noticed: the next start finds the log as the failure left it. */
const killedThen = { killBy: '"code":"store_unavailable"' }

async function onePoint(
  { library, build, anywhere }: IoErrorOptions,
  seed: string,
  fault: Fault,
  tally: Tally,
) {
  const scratch = await scratchFolder()
  const folder = watchedFolder(scratch.folder)
  const ledger = new Ledger()
  const reports: LoadReport[] = []
  const task = (run: string) => (): LoadTask => {
    if (run === '1') reports.push({ type: 'closed' })
    return {
      place: { folder },
      seed: `${seed}/${run}`,
      run,
      writers: 4,
      each: 12,
      again: ledger.unresolved(),
    }
  }
  const where = `seed ${seed}, ${nameOf(fault)}`
  try {
    const { records, ends } = await record({
      library,
      scratch: scratch.folder,
      build,
      script: 'store-under-load',
      // Where the first one came to an orderly end the examination below is the restart.
      steps: [
        { task: task('0'), fault },
        { task: task('1'), afterKill: true },
      ],
      onReport: (report) => {
        ledger.take(report)
        reports.push(report)
      },
    })
    const [, second] = ends
    if (second && second.code !== 0)
      addTo(tally, { ...noFindings(), torn: [`It does not start again: ${second?.errors}`] }, where)
    addTo(tally, { ...noFindings(), torn: unsaid(reports, fault) }, where)
    addTo(tally, await examine({ folder }, ledger), `${where}, the folder afterwards`)
    const image = join(scratch.folder, 'image')
    await cutPower(
      records,
      chance(`${seed}/cuts`),
      anywhere ?? defaultAnywhere,
      image,
      where,
      tally,
    )
    return {
      met: records.some(({ type }) => type === 'faulted'),
      acknowledged: ledger.acknowledged.size,
    }
  } finally {
    await scratch.remove()
  }
}

const isFailure = (report: LoadReport): boolean =>
  report.type === 'refused' && report.code === 'store_unavailable'

/**
 * A store whose disk has failed acknowledges nothing that is sent to it afterwards, and `check`
 * says what is wrong.
 */
function unsaid(reports: readonly LoadReport[], fault: Fault): string[] {
  const until = reports.findIndex(({ type }) => type === 'closed')
  const first = reports.slice(0, until < 0 ? undefined : until)
  const failedAt = first.findIndex(isFailure)
  if (failedAt < 0 || fault.how !== 'eio') return []
  const later = new Set(
    first.slice(failedAt).flatMap((report) => (report.type === 'tried' ? [report.attempt.id] : [])),
  )
  const wrong = first.flatMap((report) =>
    report.type === 'acknowledged' && later.has(report.id) ? [report.id] : [],
  )
  const found = wrong.map((id) => `${id} was sent after the disk had failed, and acknowledged`)
  const checked = first.find((report) => report.type === 'checked')
  if (checked?.type !== 'checked') return found
  const { refusal } = checked
  if (refusal?.code !== 'store_unavailable' || !refusal.text)
    found.push(`After the failure check said ${JSON.stringify(refusal)}`)
  return found
}

/**
 * Between the two processes, at the end, and anywhere; half of those while the second one works.
 */
async function cutPower(
  records: readonly DiskRecord[],
  dice: Chance,
  count: number,
  folder: string,
  where: string,
  tally: Tally,
): Promise<void> {
  const openings = records.flatMap((one, index) =>
    one.type === 'reported' && one.text.includes('"opened"') ? [index] : [],
  )
  const second = openings[1] ?? 0
  const anywhere = Array.from({ length: count }, (_, index) => {
    const from = index % 2 === 0 ? second : 0
    return from + dice.below(records.length - from)
  })
  const cuts = [second, records.length, ...anywhere].sort((a, b) => a - b)
  const disk = new Disk()
  const ledger = new Ledger()
  let played = 0
  for (const cut of cuts) {
    for (; played < cut; played++) {
      const one = records[played] as DiskRecord
      disk.play(one)
      if (one.type === 'reported') takeReports(ledger, one.text)
    }
    for (const weather of [nothingUnsynced, drawWeather(dice, played)]) {
      await writeImage(folder, disk.afterPowerCut(weather))
      addTo(
        tally,
        await checkImage(folder, ledger),
        `${where}, power cut after record ${cut} of ${records.length} (${weather.name})`,
      )
    }
  }
}

function planned(plan: FaultPlan, number: number, dice: Chance): Fault {
  switch (plan) {
    case 'every sync is a lie':
      return { calls: 's', from: 1, how: 'lie', times: 0, armedBy }
    case 'failed sync':
      return { calls: 's', from: 2 + dice.below(6), how: 'eio', times: 1, armedBy }
    case 'failed sync, then killed':
      return { calls: 's', from: 2 + dice.below(6), how: 'eio', times: 1, armedBy, ...killedThen }
    case 'failed sync while opening':
      // One after the other; among them is that of the folder, right after the log was made.
      return { calls: 's', from: 6 + number, how: 'eio', times: 1 }
    case 'any':
      return anyFault(number, dice)
  }
}

const armedBy = '"opened"'

function anyFault(number: number, dice: Chance): Fault {
  const calls = dice.pick(['w', 's', 's', 'ws', 't', 'o', 'u', 'wstou'])
  const how = dice.pick(['eio', 'eio', 'enospc', 'short'] as const)
  const times = dice.pick([1, 1, 3, 0])
  const then = dice.one(0.5) ? killedThen : {}
  // Every fourth one lies in the opening, the others in the work and the end.
  if (number % 4 === 0)
    return { calls, how, times, from: 1 + dice.below(calls.length > 1 ? 60 : 8), ...then }
  const most = { w: 400, s: 30, ws: 400, t: 2, o: 2, u: 2, wstou: 400 }[calls] ?? 100
  return { calls, how, times, from: 1 + dice.below(most), armedBy, ...then }
}

const nameOf = ({ calls, from, how, times, armedBy: inWork, killBy }: Fault): string =>
  `${how} at call ${from} (${calls}) of ${inWork ? 'the work' : 'opening'}, ${times === 0 ? 'from then on' : `${times} times`}${killBy ? ', then killed' : ''}`
