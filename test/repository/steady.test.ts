import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type SteadyPlan, testSteadily } from '../../scripts/steady/steadily.ts'
import { readFailedFiles, touchedFiles, unsteadyFiles } from '../../scripts/steady/which-files.ts'
import type { TestOutcome } from '../../scripts/test/run-tests.ts'

const root = join(import.meta.dirname, '../..')
const passing: TestOutcome = { passed: 2, skipped: 0, failed: [] }

interface Ran {
  readonly files: readonly string[]
  readonly busy: boolean
  readonly at: number
}

/** Each run takes as long as it says; one that has no such time is cut off. */
async function play(
  plan: Partial<SteadyPlan>,
  outcomeOf: (ran: Ran) => TestOutcome = () => passing,
  takesMs = 1_000,
) {
  let now = 5_000
  const ran: Ran[] = []
  const lines: string[] = []
  const result = await testSteadily(
    { inDoubt: [], all: [], times: 50, limitMs: 60_000, seed: 'a seed', ...plan },
    {
      now: () => now,
      print: (line) => lines.push(line),
      run: async (files, { busy, withinMs }) => {
        const one = { files, busy, at: now - 5_000 }
        now += Math.min(takesMs, withinMs)
        if (takesMs > withinMs) return undefined
        ran.push(one)
        return outcomeOf(one)
      },
    },
  )
  return { ran, lines, result, endedAt: now - 5_000 }
}

test('[HS20] files in doubt run as often as asked, half with busy cores; then all', async () => {
  const all = ['b.test.ts', 'c.test.ts']
  const { ran, result } = await play({ inDoubt: ['a.test.ts'], all, times: 10, limitMs: 20_500 })
  const ofDoubt = ran.filter(({ files }) => files.includes('a.test.ts'))
  expect(ran.slice(0, 10)).toEqual(ofDoubt)
  expect(ofDoubt.filter(({ busy }) => busy)).toHaveLength(5)
  const others = ran.slice(10)
  expect(others.slice(0, 2).map(({ files, busy }) => [files.toSorted(), busy])).toEqual([
    [all, true],
    [all, false],
  ])
  expect(result.lastLine).toBe(
    '40 tests, seed a seed, files in doubt 10 of 10 times, all others 10.0 times: 0 failures',
  )
})

test('[HS20] a steady run ends within its time and says what it had no time for', async () => {
  const { ran, endedAt, result } = await play(
    { inDoubt: ['a.test.ts'], all: ['b.test.ts'], limitMs: 10_500 },
    undefined,
    2_000,
  )
  expect(endedAt).toBeLessThanOrEqual(10_500)
  expect(ran.map(({ files: [file] }) => file)).toEqual([
    'a.test.ts',
    'a.test.ts',
    'a.test.ts',
    'b.test.ts',
    'b.test.ts',
  ])
  expect(result.lastLine).toContain('files in doubt 3 of 50 times')
  const short = await play({ all: ['b.test.ts'], limitMs: 1_000 }, undefined, 2_000)
  expect(short.result.lastLine).toContain('no time for 1 of 1 files with the cores busy')
})

test('[HS20] the order is drawn from the seed, anew each pass, and all of it is run', async () => {
  const all = Array.from({ length: 60 }, (_, n) => `${n}.test.ts`)
  const passes = ({ ran }: { ran: Ran[] }) =>
    [0, 1].map((n) => ran.slice(n * 3, n * 3 + 3).flatMap(({ files }) => files))
  const [first, second] = passes(await play({ all, limitMs: 9_000 }))
  expect(first?.toSorted()).toEqual(all.toSorted())
  expect(second?.toSorted()).toEqual(all.toSorted())
  expect(second).not.toEqual(first)
  expect(passes(await play({ all, limitMs: 9_000 }))[0]).toEqual(first)
  expect(passes(await play({ all, limitMs: 9_000, seed: 'another' }))[0]).not.toEqual(first)
})

test('[HS20] a failure is shown when it happens and counted in the last line', async () => {
  const failing: TestOutcome = {
    passed: 1,
    skipped: 0,
    failed: [{ file: 'a.test.ts', title: 'it holds', why: 'it did not' }],
  }
  const { lines, result } = await play({ inDoubt: ['a.test.ts'], times: 4 }, ({ busy }) =>
    busy ? failing : passing,
  )
  expect(result.failed).toHaveLength(2)
  expect(result.lastLine).toMatch(/: 2 failures$/)
  expect(
    lines.filter((line) => line.startsWith('FAILED a.test.ts: it holds (cores busy)')),
  ).toHaveLength(2)
})

test('[HS20] files that failed lately, touched tests and their area are in doubt', () => {
  expect(readFailedFiles(root).filter(({ file }) => !existsSync(join(root, file)))).toEqual([])
  expect(touchedFiles(root, ['test/domain/ids.test.ts', 'README.md'])).toEqual([
    'test/domain/ids.test.ts',
  ])
  expect(touchedFiles(root, ['src/services/work/resume-work.ts'])).toContain(
    'test/services/work/resuming.test.ts',
  )
  expect(touchedFiles(root, ['test/support/browser.ts'])).toContain('test/browser/live.test.ts')
  expect(touchedFiles(root, ['web/src/work/list.tsx'])).toContain('test/browser/work/tasks.test.ts')
})

test('[HS20] what uses browsers, processes or clocks is run, what only computes is not', () => {
  const files = unsteadyFiles(root)
  expect(files).toEqual(
    expect.arrayContaining([
      'test/browser/live.test.ts',
      'test/journeys/coordinator.test.ts',
      'test/jobs/cutover.test.ts',
    ]),
  )
  expect(files).not.toContain('test/domain/ids.test.ts')
})
