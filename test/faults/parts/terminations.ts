/** RE11: a PostgreSQL that ends its backends under the server. */
import { productFolder } from '../build.ts'
import { skippedIsUnknown } from '../controls.ts'
import { startPostgres } from '../postgres-for-faults.ts'
import { terminatedBackends } from '../terminated-backends.ts'
import { type Part, timed, withBuild } from './part.ts'

const controlRequests = 400

export const terminations: Part = async ({ seed, points }) => {
  const postgres = await startPostgres()
  try {
    return [
      await timed(async () => {
        const run = async (build: string, requests: number) =>
          terminatedBackends({ build, url: await postgres.newUrl(), requests })
        const { requests, refused, terminated, tally } = await run(productFolder, points(10_000))
        const broken = await withBuild([skippedIsUnknown], (build) => run(build, controlRequests))
        const controls = [
          { name: 'a skipped statement is nobody’s failure', caught: broken.tally.torn > 0 },
        ]
        const reported = `${requests} requests, ${terminated} backends terminated, ${refused} requests refused with 503`
        return {
          rule: 'RE11',
          test: 'backends terminated, PostgreSQL',
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
