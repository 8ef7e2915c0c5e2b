/** RE7: the start of a large store, and the bound of the write-ahead log. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { productFolder } from '../build.ts'
import { unboundedLog } from '../controls.ts'
import { makeLargeStore, sustainedLoad, timeToReady, walLimitBytes } from '../large-store.ts'
import { newTally } from '../oracle.ts'
import { startServer } from '../server-process.ts'
import { type Part, timed, withBuild } from './part.ts'

const readyWithinMs = 2000
const starts = 5
const inMiB = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-large-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** From the start of the process to the line that says it is ready; then it is killed. */
async function timeOfServer(folder: string): Promise<number> {
  const startedAt = performance.now()
  const { child, exited, ready } = await startServer(productFolder, folder, 0)
  try {
    await ready
    return performance.now() - startedAt
  } finally {
    child.kill('SIGKILL')
    await exited
  }
}

/**
 * Whatever else the machine does only ever adds time, so the fastest start is the one that is the
 * server's own.
 */
const fastest = (values: readonly number[]): number => Math.min(...values)

export const largeStore: Part = async ({ seed, points }) => [
  await timed(() =>
    withFolder(async (folder) => {
      const { events, rows } = await makeLargeStore(folder, points(100_000))
      const store: number[] = []
      const server: number[] = []
      for (let start = 0; start < starts; start++) {
        store.push(await timeToReady(folder))
        server.push(await timeOfServer(folder))
      }
      const [storeMs, serverMs] = [fastest(store), fastest(server)]
      const text = `store ready in ${storeMs.toFixed(0)} ms, server in ${serverMs.toFixed(0)} ms (fastest of ${starts})`
      const figure = { text, holds: storeMs < readyWithinMs && serverMs < readyWithinMs }
      return {
        rule: 'RE7',
        test: 'start of a large store',
        points: `${events} events, ${rows} rows`,
        seed,
        tally: newTally(),
        controls: [],
        figure,
      }
    }),
  ),
  await timed(async () => {
    const load = (build: string, bytes: number) =>
      withFolder((folder) => sustainedLoad(build, folder, bytes))
    const { writtenBytes, largestWal, reads } = await load(productFolder, points(1_000_000_000))
    const broken = await withBuild([unboundedLog], (build) => load(build, 100_000_000))
    const done = `${inMiB(writtenBytes)} written, ${reads} long reads`
    const figure = { text: `log at most ${inMiB(largestWal)}`, holds: largestWal < walLimitBytes }
    const controls = [{ name: 'waits for no reader', caught: broken.largestWal > walLimitBytes }]
    return {
      rule: 'RE7',
      test: 'bounded write-ahead log',
      points: done,
      seed,
      tally: newTally(),
      controls,
      figure,
    }
  }),
]
