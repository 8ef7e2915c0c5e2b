/** SC3, RE5, CO6: nodes and coordinators of a cluster that come and go, doorbells that are lost, a PostgreSQL that is restarted. */
import { productFolder } from '../build.ts'
import { type ClusterFaultOptions, type ClusterFaultResult, clusterFaults, type Fault } from '../cluster/cluster-faults.ts'
import { noEpochCheck, silentDoorbells } from '../controls.ts'
import { startPostgres } from '../postgres-for-faults.ts'
import { type Part, timed, withBuild } from './part.ts'

/** SC3, in milliseconds. Without doorbells the poll of half a second is left. */
const limits: Readonly<Record<Fault, number>> = { kill: 3000, pause: 15_000, drain: 1000, database: 15_000, nothing: 1000 }
const words: Readonly<Record<Fault, string>> = {
  kill: 'after a kill',
  pause: 'of a pause',
  drain: 'of a drain',
  database: 'after PostgreSQL is back',
  nothing: 'of a commit',
}

export const cluster: Part = async (bench) => {
  const { seed, points } = bench
  const postgres = await startPostgres()
  const run = async (options: Omit<ClusterFaultOptions, 'url' | 'seed'>): Promise<ClusterFaultResult> =>
    clusterFaults({
      ...options,
      url: await postgres.newUrl(),
      seed,
      onFault: (fault, ms) => console.log(`  ${fault}: ${Math.round(ms)} ms`),
    })
  const isCaught = (
    change: Parameters<typeof withBuild>[0][number],
    options: Omit<ClusterFaultOptions, 'url' | 'seed' | 'build'>,
  ) =>
    withBuild([change], async (build) => {
      const { tally } = await run({ ...options, build, nodes: 2, coordinators: 1, stopEarly: true })
      return tally.lost + tally.torn > 0
    })
  try {
    return [
      await timed(async () => {
        const faults = { kill: points(50), pause: points(50), drain: points(20) }
        const onCoordinators = points(25)
        const result = await run({ build: productFolder, faults, onCoordinators })
        console.log(`  ${JSON.stringify(result.tally)}; ${load(result)}; ${figureOf(result).text}`)
        const controls = [
          { name: 'no epoch check', caught: await isCaught(noEpochCheck, { faults: { pause: 2 }, onCoordinators: 2 }) },
        ]
        const told = `${faults.kill} kills, ${faults.pause} pauses, ${faults.drain} drains, ${result.takeovers} takeovers of coordinators; ${load(result)}`
        const test = 'cluster: 3 nodes, 2 coordinators'
        return { rule: 'SC3', test, points: told, seed, tally: result.tally, controls, figure: figureOf(result) }
      }),
      await timed(async () => {
        const faults = { nothing: points(50) }
        const result = await withBuild([silentDoorbells], (build) => run({ build, faults }))
        const told = `${faults.nothing} commits, no doorbell between nodes; ${load(result)}`
        const test = 'cluster: all doorbells lost'
        return { rule: 'SC1', test, points: told, seed, tally: result.tally, controls: [], figure: figureOf(result) }
      }),
      await timed(async () => {
        const faults = { database: points(10) }
        const restartDatabase: ClusterFaultOptions['restartDatabase'] = (dice) =>
          postgres.restart(dice.pick(['SIGINT', 'SIGQUIT'] as const), dice.below(4000))
        const result = await run({ build: productFolder, faults, restartDatabase })
        const told = `${faults.database} restarts; ${load(result)}`
        const test = 'cluster: PostgreSQL restarted'
        return { rule: 'SC1', test, points: told, seed, tally: result.tally, controls: [], figure: figureOf(result) }
      }),
    ]
  } finally {
    await postgres.stop()
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
  return { text: text.join(', '), holds: measured.every((fault) => times[fault].every((ms) => ms <= limits[fault])) }
}
