/** RE5: coordinators that were replaced. */
import { productFolder } from '../build.ts'
import { epochCheckedTooEarly, noEpochCheck } from '../controls.ts'
import { fencing } from '../fencing.ts'
import { startPostgres } from '../postgres-for-faults.ts'
import { inLanes, type Part, sum, timed, withBuild } from './part.ts'

const controlRounds = 60

export const fences: Part = async (bench) => {
  const { seed, points } = bench
  const postgres = await startPostgres()
  try {
    const control = async (changes: Parameters<typeof withBuild>[0]) =>
      withBuild(changes, async (build) =>
        fencing({
          build,
          url: await postgres.newUrl(),
          seed,
          rounds: controlRounds,
          stopEarly: true,
        }),
      )
    return [
      await timed(async () => {
        const { results, tally } = await inLanes(bench, points(500), async (lane, rounds) =>
          fencing({ build: productFolder, url: await postgres.newUrl(), seed: lane, rounds }),
        )
        const controls = [
          { name: 'no epoch check', caught: (await control([noEpochCheck])).tally.torn > 0 },
          {
            name: 'epoch checked before the transaction',
            caught: (await control([epochCheckedTooEarly])).tally.torn > 0,
          },
        ]
        const reported = `${sum(results, (one) => one.rounds)} replaced, ${sum(results, (one) => one.overtaken)} while they spoke`
        return {
          rule: 'RE5',
          test: 'fencing, PostgreSQL, two nodes',
          points: reported,
          seed,
          tally,
          controls,
        }
      }),
    ]
  } finally {
    await postgres.stop()
  }
}
