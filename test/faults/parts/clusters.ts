/**
 * SC3, RE5, CO6: nodes and coordinators of a cluster that come and go, doorbells that are lost, a
 * PostgreSQL that is restarted, an upgrade.
 */

import { productFolder } from '../build.ts'
import type { Change } from '../changes.ts'
import {
  type ClusterFaultOptions,
  type ClusterFaultResult,
  clusterFaults,
  type Fault,
} from '../cluster/cluster-faults.ts'
import {
  changesAcknowledgedEarly,
  cutOffByDrain,
  longMigration,
  noEpochCheck,
  silentDoorbells,
  startedTwice,
} from '../controls.ts'
import { newTally } from '../oracle.ts'
import { startPostgres } from '../postgres-for-faults.ts'
import { versionBefore } from '../version-before.ts'
import { type Part, timed, withBuild } from './part.ts'

/** SC3, in milliseconds. Without doorbells the poll of half a second is left. */
const limits: Readonly<Record<Fault, number>> = {
  kill: 3000,
  pause: 15_000,
  drain: 1000,
  upgrade: 1000,
  database: 15_000,
  nothing: 1000,
}
const words: Readonly<Record<Fault, string>> = {
  kill: 'after a kill',
  pause: 'of a pause',
  drain: 'of a drain',
  upgrade: 'of the drain before an upgrade',
  database: 'after PostgreSQL is back',
  nothing: 'of a commit',
}

const longestAwayMs = 7000

type Postgres = Awaited<ReturnType<typeof startPostgres>>
type RunOptions = Omit<ClusterFaultOptions, 'url' | 'seed'>

interface Control extends Omit<RunOptions, 'build'> {
  readonly name: string
  readonly changes: readonly Change[]
  /** A finding must say this. */
  readonly shows: string
}

const brokenClusters: readonly Control[] = [
  {
    name: 'no epoch check',
    changes: [noEpochCheck],
    faults: { pause: 2 },
    onCoordinators: 2,
    shows: 'has not ended what it',
  },
  {
    name: 'started twice',
    changes: [startedTwice],
    faults: { kill: 1 },
    shows: 'two processes of one launch',
  },
  {
    name: 'cut off by a drain',
    changes: [cutOffByDrain],
    faults: { drain: 6 },
    shows: 'while a node was drained',
  },
  {
    name: 'ack before commit',
    changes: changesAcknowledgedEarly,
    faults: { kill: 4 },
    shows: 'lost: ',
  },
]

const brokenUpgrade: Control = {
  name: 'a migration that takes long',
  changes: [longMigration],
  faults: { upgrade: 1 },
  shows: 'while a node was drained',
}

async function runOn(
  postgres: Postgres,
  seed: string,
  options: RunOptions,
): Promise<ClusterFaultResult> {
  const result = await clusterFaults({
    onFinding: (text) => console.log(`  ! ${text}`),
    ...options,
    url: await postgres.newUrl(),
    seed,
    onFault: (fault, ms) => console.log(`  ${fault}: ${Math.round(ms)} ms`),
  })
  console.log(`  ${JSON.stringify(result.tally)}; ${load(result)}; ${figureOf(result).text}`)
  return result
}

/**
 * Found out for what it is, and for nothing else. What is broken is the whole cluster, or only what
 * it is upgraded to.
 */
async function caught(
  { name, changes, shows, ...options }: Control,
  run: (options: RunOptions) => Promise<ClusterFaultResult>,
  from?: string,
): Promise<{ name: string; caught: boolean }> {
  console.log(`  control: ${name}`)
  let found = false
  const onFinding = (text: string): void => {
    found ||= text.includes(shows)
    console.log(`  (${text})`)
  }
  const small = { ...options, nodes: 2, coordinators: 1, stopEarly: true, onFinding }
  await withBuild(changes, (build) =>
    run({ ...small, build: from ?? build, upgradeTo: build }),
  ).catch((error) => console.log(`  broken off: ${String(error)}`))
  return { name, caught: found }
}

export const cluster: Part = async (bench) => {
  const { seed, points } = bench
  const postgres = await startPostgres()
  const run = (options: RunOptions): Promise<ClusterFaultResult> => runOn(postgres, seed, options)
  try {
    return [
      await timed(async () => {
        const faults = { kill: points(50), pause: points(50), drain: points(20) }
        const onCoordinators = points(25)
        const result = await run({ build: productFolder, faults, onCoordinators })
        const controls = []
        for (const each of brokenClusters) controls.push(await caught(each, run))
        const reported = `${faults.kill} kills, ${faults.pause} pauses, ${faults.drain} drains, ${result.takeovers} takeovers of coordinators; ${load(result)}`
        const test = 'cluster: 3 nodes, 2 coordinators'
        return {
          rule: 'SC3',
          test,
          points: reported,
          seed,
          tally: result.tally,
          controls,
          figure: figureOf(result),
        }
      }),
      await timed(async () => {
        const faults = { nothing: points(50) }
        const result = await withBuild([silentDoorbells], (build) => run({ build, faults }))
        const reported = `${faults.nothing} commits, no doorbell between nodes; ${load(result)}`
        const test = 'cluster: all doorbells lost'
        return {
          rule: 'SC1',
          test,
          points: reported,
          seed,
          tally: result.tally,
          controls: [],
          figure: figureOf(result),
        }
      }),
      await timed(async () => {
        const faults = { database: points(10) }
        // In order, and as after a crash, by turns; longer away than requests wait, every now and
        // then.
        const restartDatabase: ClusterFaultOptions['restartDatabase'] = (dice, nth) =>
          postgres.restart(nth % 2 === 0 ? 'SIGINT' : 'SIGQUIT', dice.below(longestAwayMs))
        const result = await run({ build: productFolder, faults, restartDatabase })
        const waited = `${result.refused} told so, the longest wait ${(result.longestWaitMs / 1000).toFixed(1)} s`
        const reported = `${faults.database} restarts, every other as after a crash; ${load(result)}; ${waited}`
        const test = 'cluster: PostgreSQL restarted'
        return {
          rule: 'SC1',
          test,
          points: reported,
          seed,
          tally: result.tally,
          controls: [],
          figure: figureOf(result),
        }
      }),
    ]
  } finally {
    await postgres.stop()
  }
}

/**
 * SC3, RE10: each node is drained and started as a newer version, then each coordinator, while
 * everybody works on.
 */
export const upgrade: Part = async ({ seed, points }) => {
  const test = 'cluster: upgraded node by node'
  const before = await versionBefore().catch((error: Error) => error.message)
  if (typeof before === 'string')
    return [
      {
        rule: 'SC3',
        test,
        points: '',
        seed,
        tally: newTally(),
        controls: [],
        seconds: 0,
        notRun: `no version before: ${before}`,
      },
    ]
  const postgres = await startPostgres()
  try {
    return [
      await timed(async () => {
        const faults = { upgrade: 5, nothing: points(20) }
        const run = (options: RunOptions): Promise<ClusterFaultResult> =>
          runOn(postgres, seed, options)
        const result = await run({ build: before.folder, upgradeTo: productFolder, faults })
        const controls = [await caught(brokenUpgrade, run, before.folder)]
        const reported = `3 nodes and 2 coordinators from ${before.commit}, whose database had an older form; ${load(result)}`
        return {
          rule: 'SC3',
          test,
          points: reported,
          seed,
          tally: result.tally,
          controls,
          figure: figureOf(result),
        }
      }),
    ]
  } finally {
    await postgres.stop()
    await before.remove()
  }
}

const load = ({ acknowledged, sentAgain, answered }: ClusterFaultResult): string =>
  `${acknowledged} writes acknowledged, ${sentAgain} sent again, ${answered} messages answered`

function figureOf({ times }: ClusterFaultResult): { text: string; holds: boolean } {
  const measured = (Object.keys(limits) as Fault[]).filter((fault) => times[fault].length > 0)
  const seconds = (ms: number | undefined): string => ((ms ?? 0) / 1000).toFixed(2)
  const text = measured.map((fault) => {
    const sorted = times[fault].toSorted((a, b) => a - b)
    return `live ${seconds(sorted[Math.floor(sorted.length / 2)])} s ${words[fault]} (at most ${seconds(sorted.at(-1))} s)`
  })
  return {
    text: text.join(', '),
    holds: measured.every((fault) => times[fault].every((ms) => ms <= limits[fault])),
  }
}
