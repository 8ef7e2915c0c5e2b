/**
 * How `npm run test:steady` spends its time, whatever it runs: first the files that are in doubt,
 * again and again, every second time with the cores busy; then all, in an order drawn anew each
 * time, with the cores busy first. It begins nothing that it has no time for.
 */
import type { FailedTest, TestOutcome } from '../test/run-tests.ts'
import { shuffledBy } from './shuffled.ts'

/** The files in doubt have this part of the time; the rest is kept for all the others. */
const shareOfDoubt = 0.6
/**
 * Files of one run: few enough that not much is lost when the time is over in the middle of one.
 */
const filesOfRun = 24

export interface SteadyPlan {
  /** What has failed lately and what was changed. */
  readonly inDoubt: readonly string[]
  readonly all: readonly string[]
  readonly times: number
  readonly limitMs: number
  readonly seed: string
}

export interface SteadyMeans {
  /** Elapsed time; only differences count. */
  now(): number
  print(line: string): void
  /** Ends what it runs after that time, which is then not counted: undefined. */
  run(
    files: readonly string[],
    how: { readonly busy: boolean; readonly withinMs: number; readonly seed: string },
  ): Promise<TestOutcome | undefined>
}

export interface SteadyResult {
  readonly tests: number
  readonly failed: readonly FailedTest[]
  /** The last line says it all. */
  readonly lastLine: string
}

export async function testSteadily(plan: SteadyPlan, means: SteadyMeans): Promise<SteadyResult> {
  const { inDoubt, all, times, limitMs, seed } = plan
  const startedAt = means.now()
  const failed: FailedTest[] = []
  const runBusy = new Set<string>()
  let tests = 0
  /** The longest so far, quiet and busy: how long the next may take. */
  const longest = { quiet: 0, busy: 0 }

  const left = (until: number): number => until - (means.now() - startedAt)

  /** False when there is no time for it. */
  const runOnce = async (
    files: readonly string[],
    busy: boolean,
    until: number,
  ): Promise<boolean> => {
    const kind = busy ? 'busy' : 'quiet'
    if (left(until) <= longest[kind]) return false
    const before = means.now()
    const outcome = await means.run(files, {
      busy,
      withinMs: left(limitMs),
      seed: `${seed} ${tests}`,
    })
    longest[kind] = Math.max(longest[kind], means.now() - before)
    if (outcome === undefined) return false
    tests += outcome.passed + outcome.failed.length
    failed.push(...outcome.failed)
    if (busy) for (const file of files) runBusy.add(file)
    for (const { file, title, why } of outcome.failed)
      means.print(
        `FAILED ${file}: ${title} (${busy ? 'cores busy' : 'quiet'})\n${why.replace(/^/gm, '    ')}`,
      )
    return true
  }

  means.print(
    `Seed ${seed}. ${inDoubt.length} files in doubt, ${times} times each; then ${all.length} files until the time is over.`,
  )
  let rounds = 0
  const doubtful = batches(inDoubt)
  for (let goesOn = doubtful.length > 0; goesOn && rounds < times; ) {
    const before = means.now()
    for (const files of doubtful)
      goesOn &&= await runOnce(files, rounds % 2 === 1, limitMs * shareOfDoubt)
    if (goesOn) rounds++
    if (goesOn)
      means.print(
        `in doubt ${rounds} of ${times}, ${seconds(means.now() - before)} s: ${failed.length} failures so far`,
      )
  }

  let runs = 0
  for (let pass = 0, goesOn = all.length > 0; goesOn; pass++) {
    const busy = pass % 2 === 0
    for (const files of batches(shuffledBy((file) => file, all, `${seed} ${pass}`))) {
      const before = means.now()
      goesOn &&= await runOnce(files, busy, limitMs)
      if (!goesOn) break
      runs += files.length
      const how = busy ? 'cores busy' : 'quiet'
      means.print(
        `pass ${pass + 1} (${how}), ${files.length} files, ${seconds(means.now() - before)} s: ${failed.length} failures so far`,
      )
    }
  }

  const missing = all.filter((file) => !runBusy.has(file)).length
  const said = [
    `${tests} tests, seed ${seed}`,
    inDoubt.length > 0 ? `files in doubt ${rounds} of ${times} times` : '',
    all.length > 0 ? `all others ${(runs / all.length).toFixed(1)} times` : '',
    missing > 0 ? `no time for ${missing} of ${all.length} files with the cores busy` : '',
  ]
  return {
    tests,
    failed,
    lastLine: `${said.filter((part) => part !== '').join(', ')}: ${failed.length} failures`,
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(0)

const batches = (files: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(files.length / filesOfRun) }, (_, at) =>
    files.slice(at * filesOfRun, (at + 1) * filesOfRun),
  )
