import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const flags = new URL('../../../src/platform/config/engine-flags.ts', import.meta.url).href

/**
 * Much lives through a collection, over and over; answers the room for young objects that it comes
 * back to, in MiB.
 */
const busy = (first: string) => `
  const { boundYoungHeap } = await import('${flags}')
  const { getHeapSpaceStatistics } = await import('node:v8')
  ${first}
  const kept = []
  let least = Infinity
  for (let round = 0; round < 200; round++) {
    for (let n = 0; n < 5000; n++) kept[(round * 5000 + n) % 200_000] = { n, list: [n] }
    await new Promise(setImmediate)
    const { space_size } = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
    if (round > 100) least = Math.min(least, space_size / 1048576)
  }
  console.log(least)
`
const youngMiB = async (first: string): Promise<number> =>
  Number((await run(process.execPath, ['--input-type=module', '-e', busy(first)])).stdout)

test('[RE8] the room for young objects grows no further than told, but does grow', async () => {
  const [alone, bounded] = await Promise.all([youngMiB(''), youngMiB('boundYoungHeap(1048576)')])
  expect(bounded).toBeLessThanOrEqual(4.5)
  expect(alone).toBeGreaterThan(5)
})
