/**
 * RE1: kill -9. A process works on a real store and reports each acknowledgement after it has it;
 * it is killed, at random and at enumerated points of opening, working, folding the log and
 * closing; then the oracle looks, and the next process goes on with the same database and sends
 * again what was never answered.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChild } from './child.ts'
import { examine } from './examine.ts'
import { Ledger } from './ledger.ts'
import { addTo, isClean, newTally, type Tally } from './oracle.ts'
import type { Place } from './place.ts'
import { type Fault, shimEnvironment } from './power-cut/shim.ts'
import type { LoadTask } from './processes/store-under-load.ts'
import { type Chance, chance } from './random.ts'

export interface KillOptions {
  readonly build: string
  readonly seed: string
  readonly kills: number
  /** With the shim a process can be killed at its n-th call to the disk. */
  readonly library?: string | undefined
  /** PostgreSQL: an empty database. SQLite in a folder of its own when left out. */
  readonly newUrl?: () => Promise<string>
  readonly stopEarly?: boolean
}

export interface KillResult {
  readonly kills: number
  readonly acknowledged: number
  /** Sent again after a kill, with the same key. */
  readonly sentAgain: number
  readonly tally: Tally
}

/**
 * A database lives through this many kills; then a new one begins, so that its first opening is
 * killed too.
 */
const killsPerDatabase = 10

interface Point {
  readonly name: string
  readonly fault?: Fault
  readonly afterAcknowledgements?: number
  readonly closing?: true
  /** From then to the kill. */
  readonly delayMs?: number
  readonly each: number
}

export async function kills(options: KillOptions): Promise<KillResult> {
  const total = { kills: 0, acknowledged: 0, sentAgain: 0, tally: newTally() }
  for (let database = 0; total.kills < options.kills; database++) {
    const wanted = Math.min(killsPerDatabase, options.kills - total.kills)
    await oneDatabase(
      { ...options, seed: `${options.seed}/${database}`, kills: wanted },
      database * killsPerDatabase,
      total,
    )
    if (options.stopEarly && !isClean(total.tally)) break
  }
  return total
}

type Total = { -readonly [Key in keyof KillResult]: KillResult[Key] }

async function oneDatabase(options: KillOptions, before: number, total: Total): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-kill-'))
  const place: Place = options.newUrl ? { url: await options.newUrl() } : { folder }
  const ledger = new Ledger()
  try {
    for (let kill = 0; kill < options.kills; kill++) {
      const point = pointOf(
        before + kill,
        chance(`${options.seed}/${kill}`),
        options.library !== undefined,
      )
      total.sentAgain += ledger.unresolved().length
      const end = await workUntilKilled(options, place, String(kill), point, ledger)
      // The point may lie behind the end of the work: then the next one has its turn.
      if (end.signal === 'SIGKILL') total.kills++
      else if (end.code !== 0)
        throw new Error(`The store under load ended by itself: ${end.errors}`)
      addTo(
        total.tally,
        await examine(place, ledger),
        `seed ${options.seed}, kill ${kill} (${point.name})`,
      )
      if (options.stopEarly && !isClean(total.tally)) break
    }
    total.acknowledged += ledger.acknowledged.size
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function workUntilKilled(
  { build, seed, library }: KillOptions,
  place: Place,
  run: string,
  point: Point,
  ledger: Ledger,
) {
  const task: LoadTask = {
    place,
    seed: `${seed}/${run}`,
    run,
    writers: 6,
    each: point.each,
    again: ledger.unresolved(),
  }
  let acknowledged = 0
  return runChild({
    build,
    script: 'store-under-load',
    task,
    env:
      library && point.fault && 'folder' in place
        ? shimEnvironment(library, place.folder, '/dev/null', point.fault)
        : {},
    onReport: (report, child) => {
      ledger.take(report)
      if (report.type === 'acknowledged') acknowledged++
      const now = point.closing
        ? report.type === 'closing'
        : acknowledged === point.afterAcknowledgements
      if (!now) return
      if (point.delayMs) setTimeout(() => child.kill('SIGKILL'), point.delayMs)
      else child.kill('SIGKILL')
    },
  })
}

const diskCalls = 'wstuo'
/** How many calls to the disk a first opening makes, about. */
const callsOfOpening = 200
/** Prime, so that every call has its turn. */
const callsBetween = 7

function pointOf(number: number, dice: Chance, withShim: boolean): Point {
  // A database begins with its opening being killed, where that can be done.
  const kind = withShim ? (number + 3) % 5 : number % 3
  switch (kind) {
    case 1:
      return {
        name: 'some time after an acknowledgement',
        afterAcknowledgements: 1 + dice.below(60),
        delayMs: 1 + dice.below(9),
        each: 60,
      }
    case 2:
      return { name: 'while closing', closing: true, delayMs: dice.below(3), each: 4 }
    case 3: {
      const from = 1 + ((Math.floor(number / 5) * callsBetween) % callsOfOpening)
      return {
        name: `call ${from} of opening`,
        fault: { calls: diskCalls, from, how: 'kill', times: 1 },
        each: 4,
      }
    }
    case 4: {
      const from = 1 + dice.below(400)
      const fault: Fault = { calls: diskCalls, from, how: 'kill', times: 1, armedBy: '"opened"' }
      return { name: `call ${from} of working and closing`, fault, each: 25 }
    }
    default:
      return {
        name: 'right after an acknowledgement',
        afterAcknowledgements: 1 + dice.below(120),
        each: 60,
      }
  }
}
