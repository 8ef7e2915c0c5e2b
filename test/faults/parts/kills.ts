/** RE1 and RE10: kill -9 of a store, of the server, of a migration. */

import { productFolder } from '../build.ts'
import type { Change } from '../changes.ts'
import { type ClosingOptions, chatClosings, type Deed } from '../chat-closings.ts'
import {
  acknowledgeBeforeCommit,
  acknowledgeBeforeCommitOnPostgres,
  begunByAnything,
  chapterNotLeft,
  decisionsStayBehind,
  filesInPlace,
  hastyClosings,
  migrateWithoutTransaction,
  migrateWithoutTransactionOnPostgres,
  noteInPlace,
  replacedBesideItself,
  tasksStayBehind,
  turnsGivenUp,
} from '../controls.ts'
import { cutoverKills } from '../cutover-kills.ts'
import { anyMoments, gitCalls, killedFirstStarts } from '../first-start.ts'
import { type KillOptions, kills } from '../kill.ts'
import { serverKills } from '../kill-server.ts'
import { killedMigrations } from '../migrations.ts'
import { isClean } from '../oracle.ts'
import { planKills } from '../plan-kills.ts'
import { startPostgres } from '../postgres-for-faults.ts'
import { buildShim } from '../power-cut/shim.ts'
import type { Result } from '../table.ts'
import { workKills } from '../work-kills.ts'
import {
  addTallies,
  type Bench,
  everyOther,
  inLanes,
  type Part,
  sum,
  timed,
  withBuild,
} from './part.ts'

const storeKills = (
  bench: Bench,
  test: string,
  options: Partial<KillOptions>,
  control: Change,
): Promise<Result> =>
  timed(async () => {
    const { results, tally } = await inLanes(bench, bench.points(500), (seed, share, lane) =>
      withBuild(options.newUrl ? [] : everyOther(lane), (build) =>
        kills({ ...options, build, seed, kills: share }),
      ),
    )
    const broken = await withBuild([control], (build) =>
      kills({
        ...options,
        library: undefined,
        build,
        seed: bench.seed,
        kills: 20,
        stopEarly: true,
      }),
    )
    const acknowledged = `${sum(results, (one) => one.acknowledged)} writes acknowledged`
    const points = `${sum(results, (one) => one.kills)} kills, ${acknowledged}, ${sum(results, (one) => one.sentAgain)} sent again`
    const controls = [{ name: 'ack before commit', caught: broken.tally.lost > 0 }]
    return { rule: 'RE1', test, points, seed: bench.seed, tally, controls }
  })

export const kill: Part = async (bench) => {
  const shim = await buildShim()
  const library = 'library' in shim ? shim.library : undefined
  return [await storeKills(bench, 'kill -9, SQLite', { library }, acknowledgeBeforeCommit)]
}

export const killOnPostgres: Part = async (bench) => {
  const postgres = await startPostgres()
  try {
    return [
      await storeKills(
        bench,
        'kill -9, PostgreSQL',
        { newUrl: postgres.newUrl },
        acknowledgeBeforeCommitOnPostgres,
      ),
    ]
  } finally {
    await postgres.stop()
  }
}

export const killServer: Part = async (bench) => [
  await timed(async () => {
    const { results, tally } = await inLanes(bench, bench.points(100), (seed, share) =>
      serverKills({ build: productFolder, seed, kills: share }),
    )
    const broken = await withBuild([acknowledgeBeforeCommit], (build) =>
      serverKills({ build, seed: bench.seed, kills: 10, stopEarly: true }),
    )
    const points = `${sum(results, (one) => one.kills)} kills, ${sum(results, (one) => one.acknowledged)} writes acknowledged`
    const controls = [{ name: 'ack before commit', caught: broken.tally.lost > 0 }]
    return {
      rule: 'RE1',
      test: 'kill -9 of the server, over HTTP',
      points,
      seed: bench.seed,
      tally,
      controls,
    }
  }),
]

/** CK4, RS1: work that goes on. */
export const killWork: Part = async (bench) => [
  await timed(async () => {
    const { results, tally } = await inLanes(bench, bench.points(100), (seed, share) =>
      workKills({ build: productFolder, seed, kills: share }),
    )
    const caught = async (
      name: string,
      change: Change,
      kind: 'lost' | 'torn',
      options: { whenTorn?: true } = {},
    ) => {
      const broken = await withBuild([change], (build) =>
        workKills({ build, seed: bench.seed, kills: 12, stopEarly: true, ...options }),
      )
      return { name, caught: broken.tally[kind] > 0 }
    }
    const acknowledged = `${sum(results, (one) => one.acknowledged)} steps acknowledged`
    const points = `${sum(results, (one) => one.kills)} kills, ${acknowledged}, ${sum(results, (one) => one.resumed)} resumed`
    const controls = [
      await caught('ack before commit', acknowledgeBeforeCommit, 'lost'),
      await caught('files written in place', filesInPlace, 'torn', { whenTorn: true }),
      await caught('tasks left behind', tasksStayBehind, 'torn'),
    ]
    return {
      rule: 'CK4',
      test: 'kill -9 in the middle of work',
      points,
      seed: bench.seed,
      tally,
      controls,
    }
  }),
]

/**
 * WK5, AP8: ten dependent tasks of two agents, each approved by a person who does nothing else,
 * through five kills; as often as asked.
 */
export const killPlan: Part = async (bench) => [
  await timed(async () => {
    const runs = []
    for (let n = 0; n < bench.points(4); n++)
      runs.push(
        await planKills({ build: productFolder, seed: `${bench.seed} ${n}`, pairs: 5, kills: 5 }),
      )
    const broken = await withBuild([decisionsStayBehind], (build) =>
      planKills({ pairs: 1, kills: 1, build, seed: bench.seed }),
    )
    const controls = [
      { name: 'decisions told to nobody', caught: broken.tally.doubled + broken.tally.lost > 0 },
    ]
    const points = `${sum(runs, (one) => one.kills)} kills, ${sum(runs, (one) => one.tasks)} tasks`
    return {
      rule: 'WK5',
      test: 'a gated plan of two agents through kills',
      points,
      seed: bench.seed,
      tally: addTallies(...runs.map(({ tally }) => tally)),
      controls,
    }
  }),
]

/**
 * NA5, CX6: panels closed and opened, servers and agents killed in the middle of answers that
 * outlast the closing.
 */
export const closings: Part = async (bench) => {
  const run = (changes: readonly Change[], options: Omit<ClosingOptions, 'build'>) =>
    withBuild([...hastyClosings, ...changes], (build) => chatClosings({ ...options, build }))
  const results = []
  for (const demo of ['acp', 'mcp'] as const)
    results.push(
      await timed(async () => {
        const lanes = await inLanes(bench, bench.points(100), (seed, turns) =>
          run([], { seed, turns, demo }),
        )
        const caught = async (name: string, changes: readonly Change[]) => {
          const broken = await run(changes, {
            seed: bench.seed,
            turns: 60,
            demo,
            sparesAgent: true,
          })
          return { name, caught: !isClean(broken.tally) }
        }
        const controls = [
          await caught('given up after the time', [...turnsGivenUp, replacedBesideItself]),
        ]
        const count = (...deeds: Deed[]) =>
          sum(lanes.results, (one) => deeds.reduce((all, deed) => all + one.deeds[deed], 0))
        const points = [
          `${count('close')} closings, ${count('open')} openings, ${count('reload')} reloads`,
          `${count('killServer')} kills of the server, ${count('killAgent')} of the agent`,
          `${sum(lanes.results, (one) => one.answered)} answers`,
        ].join(', ')
        const test = `closed in the middle of a turn, ${demo}`
        return { rule: 'CX6', test, points, seed: bench.seed, tally: lanes.tally, controls }
      }),
    )
  return results
}

/** DC2, DC4: a cutover of 50 conversations, at every step. */
export const killCutover: Part = async (bench) => [
  await timed(async () => {
    const lanes = bench.lanes
    const options = { conversations: 50, lanes }
    const {
      kills: done,
      steps,
      tally,
    } = await cutoverKills({ ...options, build: productFolder, kills: bench.points(10_000) })
    const caught = async (name: string, change: Change) => {
      const broken = await withBuild([change], (build) =>
        cutoverKills({ ...options, build, kills: 20, stopEarly: true }),
      )
      return { name, caught: broken.tally.torn > 0 }
    }
    const controls = [
      await caught('chapter closed, not left', chapterNotLeft),
      await caught('notes in place', noteInPlace),
    ]
    const points = `${done} kills at ${steps} steps, 50 conversations each`
    return {
      rule: 'DC4',
      test: 'kill -9 in the middle of a cutover',
      points,
      seed: bench.seed,
      tally,
      controls,
    }
  }),
]

/** UI6: the first start of a server. */
export const killFirstStart: Part = async (bench) => [
  await timed(async () => {
    const anywhere = await inLanes(bench, bench.points(60), async (seed, share) => ({
      tally: await killedFirstStarts(productFolder, anyMoments(seed, share)),
    }))
    const tally = addTallies(anywhere.tally, await killedFirstStarts(productFolder, gitCalls))
    const broken = await withBuild([begunByAnything], (build) =>
      killedFirstStarts(build, gitCalls.slice(0, 1), { patienceMs: 5000 }),
    )
    const controls = [{ name: 'any event is a begin', caught: broken.lost > 0 }]
    const points = `${bench.points(60)} kills at any moment, ${gitCalls.length} around a call of git`
    return {
      rule: 'UI6',
      test: 'kill -9 of a first start',
      points,
      seed: bench.seed,
      tally,
      controls,
    }
  }),
]

const migrated = (
  { seed, lanes }: Bench,
  test: string,
  control: Change,
  newUrl?: () => Promise<string>,
): Promise<Result> =>
  timed(async () => {
    const { kills: done, statements, tally } = await killedMigrations({ step: 1, lanes, newUrl })
    const broken = await killedMigrations({ changes: [control], step: 5, lanes, newUrl })
    const controls = [{ name: 'no transaction', caught: broken.tally.torn > 0 }]
    const points = `${done} kills, one at each of ${statements} statements`
    return { rule: 'RE10', test, points, seed, tally, controls }
  })

export const migrations: Part = async (bench) => {
  const postgres = await startPostgres()
  try {
    return [
      await migrated(bench, 'migrations, SQLite', migrateWithoutTransaction),
      await migrated(
        bench,
        'migrations, PostgreSQL',
        migrateWithoutTransactionOnPostgres,
        postgres.newUrl,
      ),
    ]
  } finally {
    await postgres.stop()
  }
}
