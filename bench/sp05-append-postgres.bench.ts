/**
 * SP5 on PostgreSQL: what an append costs beside the driver alone. Ours is the whole way:
 * `store.run`, the locks, the use case, group commit and the answer. The yardstick stands in
 * append/bare-postgres.ts.
 */
import { openPostgresStore } from '../src/store/postgres/open-postgres-store.ts'
import { type BenchPostgres, startPostgres } from '../test/faults/postgres-for-faults.ts'
import { type BareAppends, openBare } from './append/bare-postgres.ts'
import { append, makeRow } from './append/use-cases.ts'
import { appendRate } from './append/writers.ts'
import type { Comparison } from './harness/comparison.ts'

const poolSize = 20
const appendsPerRound: Readonly<Record<number, number>> = {
  1: 200,
  16: 3_200,
  64: 5_120,
  256: 5_120,
}

interface Appender {
  readonly append: (id: string) => Promise<unknown>
  readonly close: () => Promise<void>
}

export async function ours(url: string, writers: number): Promise<Appender> {
  const store = await openPostgresStore({ url, poolSize })
  for (let writer = 0; writer < writers; writer++) {
    await store.run(makeRow, { id: `w${writer}` })
    // The stream's first event makes its row, for both.
    await store.run(append, { id: `w${writer}` })
  }
  return { append: (id) => store.run(append, { id }), close: () => store.close() }
}

async function prepareBoth(
  postgres: BenchPostgres,
  writers: number,
): Promise<readonly [Appender, BareAppends]> {
  const bareUrl = await postgres.newUrl()
  await (await ours(bareUrl, writers)).close()
  return [await ours(await postgres.newUrl(), writers), await openBare(bareUrl, writers)]
}

async function bareRate({ appendAll }: BareAppends, appends: number): Promise<number> {
  const from = performance.now()
  await appendAll(appends)
  return (appends * 1000) / (performance.now() - from)
}

const throughput = (writers: number): Comparison => ({
  title: `[SP5] durable append on PostgreSQL, ${writers} ${writers === 1 ? 'writer' : 'writers'}`,
  unit: 'appends/s',
  goal: { kind: 'rate', limit: writers === 1 ? 0.65 : 0.8 },
  prepare: async () => {
    const postgres = await startPostgres()
    const [store, driver] = await prepareBoth(postgres, writers)
    const appends = appendsPerRound[writers] ?? 0
    return {
      ours: { name: 'store.run', round: () => appendRate(store.append, writers, appends) },
      yardstick: {
        name: `bare pg, ${driver.perCommit} to a commit`,
        round: () => bareRate(driver, appends),
      },
      close: async () => {
        await Promise.all([store.close(), driver.close()])
        await postgres.stop()
      },
    }
  },
})

export const durableAppendOnPostgres: readonly Comparison[] = [1, 16, 64, 256].map(throughput)
