/** RE6: the ends of processes. CO6: agents that answer while their server is killed. */
import { agentsAcrossKills } from '../agents-across-kills.ts'
import { productFolder } from '../build.ts'
import type { Change } from '../changes.ts'
import { beginningsLost, killByPidAlone, oneContextForAll, unknownIsGone } from '../controls.ts'
import { isolation } from '../isolation.ts'
import { isClean } from '../oracle.ts'
import { processEnds } from '../process-ends/process-ends.ts'
import { startsAcrossKills } from '../starts-across-kills.ts'
import type { Result } from '../table.ts'
import { type Bench, inLanes, type Part, sum, timed, withBuild } from './part.ts'

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
    return {
      rule: 'CO6',
      test: 'agents that answer across kills',
      points,
      seed: bench.seed,
      tally,
      controls: [],
    }
  }),
  ...(await startsOn(bench, [], 'agents that start across kills')),
  ...(await startsOn(bench, [beginningsLost], 'the same, and what is begun is always lost', [
    unknownIsGone,
  ])),
]

/** CX1: conversations that share an agent, and a second behind it. */
export const contexts: Part = async ({ seed, points }) => {
  const results: Result[] = []
  for (const demo of ['acp', 'mcp'] as const)
    results.push(
      await timed(async () => {
        const { messages, recalled, tally } = await isolation({
          build: productFolder,
          seed,
          messages: points(300),
          demo,
        })
        const broken = await withBuild([oneContextForAll], (build) =>
          isolation({ build, seed, messages: 24, demo }),
        )
        const controls = [{ name: 'one context for all', caught: !isClean(broken.tally) }]
        const reported = `${messages} messages in 4 conversations, ${recalled} secrets said back`
        return {
          rule: 'CX1',
          test: `conversations kept apart, ${demo}`,
          points: reported,
          seed,
          tally,
          controls,
        }
      }),
    )
  return results
}

/** With the control, if there is one. */
async function startsOn(
  bench: Bench,
  changes: readonly Change[],
  test: string,
  broken?: readonly Change[],
): Promise<Result[]> {
  const { seed } = bench
  const acknowledged = changes.length > 0
  const result = await timed(async () => {
    const { results, tally } = await withBuild(changes, (build) =>
      inLanes(bench, bench.points(50), (lane, kills) =>
        startsAcrossKills({ build, seed: lane, kills, acknowledged }),
      ),
    )
    const points = `${sum(results, (one) => one.kills)} kills of the server`
    const caught =
      broken &&
      (await withBuild([...changes, ...broken], (build) =>
        startsAcrossKills({ build, seed, kills: 3, acknowledged, stopEarly: true }),
      ))
    const controls = caught
      ? [{ name: 'what is unknown is gone', caught: caught.tally.torn > 0 }]
      : []
    return { rule: 'CO6', test, points, seed, tally, controls }
  })
  return [result]
}
