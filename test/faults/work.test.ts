/** Work that goes on after a kill, small: 4 kills. The 100 of them are in `npm run test:faults`. */
import { describe, expect, test } from 'vitest'
import { changedBuild } from './broken-build.ts'
import { productFolder } from './build.ts'
import { filesInPlace, tasksStayBehind } from './controls.ts'
import { newTally } from './oracle.ts'
import { workKills } from './work-kills.ts'

const seed = 'npm test'

describe('kill -9 in the middle of work', () => {
  test('[CK4] [RS1] killed 4 times: nothing acknowledged is lost, the files are whole, a resume is what the log says', async () => {
    const runs = await Promise.all(
      ['a', 'b'].map((lane) => workKills({ build: productFolder, seed: `${seed} ${lane}`, kills: 2 })),
    )
    expect(runs.map(({ tally }) => tally)).toEqual([newTally(), newTally()])
    const [first, second] = runs
    expect((first?.acknowledged ?? 0) + (second?.acknowledged ?? 0)).toBeGreaterThan(20)
    expect((first?.resumed ?? 0) + (second?.resumed ?? 0)).toBeGreaterThan(2)
  })

  test.each([
    ['writes files in place', filesInPlace, { whenTorn: true }],
    ['leaves the tasks behind when work is resumed', tasksStayBehind, {}],
  ] as const)('[CK4] control: a build that %s is caught', async (_, change, options) => {
    const build = await changedBuild([change])
    try {
      const { tally } = await workKills({ build: build.folder, seed, kills: 8, stopEarly: true, ...options })
      expect(tally.torn).toBeGreaterThan(0)
    } finally {
      await build.remove()
    }
  })
})
