/**
 * FS3, FS5, FS7, FS8: turns, rewinds and forks whose server and coordinator are killed at each call
 * of git and at random moments.
 */
import { productFolder } from '../build.ts'
import type { Change } from '../changes.ts'
import { type FileKillOptions, filesAcrossKills } from '../file-kills.ts'
import {
  askedBeforeState,
  cutRewindForgotten,
  cutRewindTakenForDone,
  rewindWithoutState,
  stateUnderNoRef,
} from '../file-states/controls.ts'
import { fileSteps } from '../file-steps.ts'
import { isClean, saysProgress } from '../oracle.ts'
import { inLanes, type Part, sum, timed, withBuild } from './part.ts'

const controlKills = 40
const forgottenAfterMs = 10_000

export const killFiles: Part = async (bench) => [
  await timed(async () => {
    const { seed, points, withinMs } = bench
    const { results, tally } = await inLanes(bench, points(1000), (lane, kills) =>
      filesAcrossKills({
        build: productFolder,
        seed: lane,
        kills,
        withinMs,
        onKill: saysProgress(`kill-files ${lane}`),
      }),
    )
    const steps = new Set(results.flatMap((one) => [...one.steps]))
    const broken = async (
      changes: readonly Change[],
      options: Partial<FileKillOptions> = {},
    ): Promise<boolean> =>
      withBuild(changes, async (build) => {
        const run = { build, seed, kills: controlKills, stopEarly: true, ...options }
        return !isClean((await filesAcrossKills(run)).tally)
      })
    const controls = [
      { name: 'a state under no ref', caught: await broken([stateUnderNoRef]) },
      {
        name: 'a rewind without a state first',
        caught: await broken([rewindWithoutState], { kinds: ['rewind'] }),
      },
      {
        name: 'a cut-off rewind taken for done',
        caught: await broken([cutRewindTakenForDone], {
          kinds: ['rewind'],
          victims: ['coordinator'],
          instead: 'read-tree',
        }),
      },
      {
        name: 'a cut-off rewind forgotten',
        caught: await broken(cutRewindForgotten, {
          kinds: ['rewind'],
          settlesWithinMs: forgottenAfterMs,
        }),
      },
      {
        name: 'an agent asked before the state is known',
        caught: await broken([askedBeforeState], { kinds: ['turn'] }),
      },
    ]
    const reported = `${sum(results, (one) => one.kills)} kills, ${steps.size} steps of git`
    return {
      rule: 'FS8',
      test: 'turns, rewinds and forks across kills',
      points: reported,
      seed,
      tally,
      controls,
    }
  }),
  await timed(async () => {
    const { seed, points, withinMs } = bench
    const { results, tally } = await inLanes(bench, points(1000), (lane, kills) =>
      fileSteps({
        build: productFolder,
        seed: lane,
        kills,
        withinMs,
        onKill: saysProgress(`file steps ${lane}`, 50),
      }),
    )
    const steps = new Set(results.flatMap((one) => [...one.steps]))
    const reported = `${sum(results, (one) => one.kills)} kills, ${steps.size} steps of git`
    return {
      rule: 'FS5',
      test: 'requests about files killed by their own git',
      points: reported,
      seed,
      tally,
      controls: [],
    }
  }),
]
