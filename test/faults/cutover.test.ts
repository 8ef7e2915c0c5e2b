/** A cutover killed at some of its steps. All of them, with 50 conversations, are in `npm run test:faults`. */
import { describe, expect, test } from 'vitest'
import { changedBuild } from './broken-build.ts'
import { productFolder } from './build.ts'
import { chapterNotLeft, noteInPlace } from './controls.ts'
import { cutoverKills } from './cutover-kills.ts'
import { newTally } from './oracle.ts'

describe('kill -9 in the middle of a cutover', () => {
  test('[DC2] [DC4] killed at a step of each kind and taken up: each chapter is closed once and in its note once, whole', async () => {
    const { kills, tally } = await cutoverKills({ build: productFolder, conversations: 4, kills: 3, lanes: 2 })
    expect(tally).toEqual(newTally())
    expect(kills).toBeGreaterThanOrEqual(6)
  })

  test.each([
    ['closes a chapter without taking it from what agents are handed', chapterNotLeft],
    ['writes notes in place', noteInPlace],
  ] as const)('[DC4] control: a build that %s is caught', async (_, change) => {
    const build = await changedBuild([change])
    try {
      const { tally } = await cutoverKills({ build: build.folder, conversations: 4, kills: 3, lanes: 2, stopEarly: true })
      expect(tally.torn).toBeGreaterThan(0)
    } finally {
      await build.remove()
    }
  })
})
