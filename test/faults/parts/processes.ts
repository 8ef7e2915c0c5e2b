/** RE6: the ends of processes. CO6: agents that answer while their server is killed. */
import { agentsAcrossKills } from '../agents-across-kills.ts'
import { productFolder } from '../build.ts'
import { killByPidAlone } from '../controls.ts'
import { processEnds } from '../process-ends/process-ends.ts'
import { inLanes, type Part, sum, timed, withBuild } from './part.ts'

const controlCycles = 3

export const processes: Part = async (bench) => [
  await timed(async () => {
    const { seed, points } = bench
    const { results, tally } = await inLanes(bench, points(50), (lane, cycles) =>
      processEnds({ build: productFolder, seed: lane, cycles }),
    )
    const broken = await withBuild([killByPidAlone], (build) =>
      processEnds({ build, seed, cycles: controlCycles, stopEarly: true }),
    )
    const slowest = Math.max(...results.map((one) => one.slowestMs)) / 1000
    return {
      rule: 'RE6',
      test: 'ends of processes',
      points: `${sum(results, (one) => one.cycles)} cycles, ${sum(results, (one) => one.processes)} processes`,
      seed,
      tally,
      controls: [{ name: 'kill by pid alone', caught: broken.tally.lost > 0 }],
      figure: { text: `all gone after at most ${slowest.toFixed(1)} s`, holds: slowest < 10 },
    }
  }),
  await timed(async () => {
    const { results, tally } = await inLanes(bench, bench.points(50), (seed, kills) =>
      agentsAcrossKills({ build: productFolder, seed, kills }),
    )
    const points = `${sum(results, (one) => one.kills)} kills of the server, ${sum(results, (one) => one.answered)} answers`
    return { rule: 'CO6', test: 'agents that answer across kills', points, seed: bench.seed, tally, controls: [] }
  }),
]
