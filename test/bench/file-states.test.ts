/** SP17, small: the bench of file states runs. Its figures are those of `npm run bench`. */
import { expect, test } from 'vitest'
import { fileStatesIn } from '../../bench/sp17-file-states.bench.ts'

test('[SP17] states with and without changes, and forks, are measured with bare git', async () => {
  for (const { title, prepare } of fileStatesIn(40)) {
    const { ours, yardstick, close } = await prepare()
    try {
      for (const { round } of [ours, yardstick]) expect(await round(), title).toBeGreaterThan(0)
    } finally {
      await close()
    }
  }
})
