/**
 * What a part of the fault bench is, and what all of them need: time, lanes, builds, words where it
 * cannot be run.
 */
import { changedBuild } from '../broken-build.ts'
import { productFolder } from '../build.ts'
import type { Change } from '../changes.ts'
import { smallCheckpoints } from '../controls.ts'
import { newTally, type Tally } from '../oracle.ts'
import { buildShim } from '../power-cut/shim.ts'
import type { Result } from '../table.ts'

export interface Bench {
  readonly seed: string
  /** So many of the whole as this run does. */
  readonly points: (whole: number) => number
  readonly lanes: number
  /** Then kills end, though there are points left. */
  readonly withinMs: number
}

export type Part = (bench: Bench) => Promise<Result[]>

export async function timed(work: () => Promise<Omit<Result, 'seconds'>>): Promise<Result> {
  const startedAt = performance.now()
  const result = await work()
  return { ...result, seconds: (performance.now() - startedAt) / 1000 }
}

/** The product itself when there is nothing to change. */
export async function withBuild<T>(
  changes: readonly Change[],
  work: (build: string) => Promise<T>,
): Promise<T> {
  if (changes.length === 0) return work(productFolder)
  const build = await changedBuild(changes)
  try {
    return await work(build.folder)
  } finally {
    await build.remove()
  }
}

/** Half of the lanes fold the log often, so that checkpoints meet faults too. */
export const everyOther = (lane: number): Change[] => (lane % 2 === 0 ? [smallCheckpoints] : [])

/** A part that needs the shim says so where there is none. */
export const withShim =
  (rule: string, test: string, part: (bench: Bench, library: string) => Promise<Result[]>): Part =>
  async (bench) => {
    const shim = await buildShim()
    if ('library' in shim) return part(bench, shim.library)
    return [
      {
        rule,
        test,
        points: '',
        seed: bench.seed,
        tally: newTally(),
        controls: [],
        seconds: 0,
        notRun: shim.missing,
      },
    ]
  }

/** The same work in several lanes, each with a share of the points and a seed of its own. */
export async function inLanes<T extends { readonly tally: Tally }>(
  { seed, lanes }: Bench,
  points: number,
  run: (seed: string, points: number, lane: number) => Promise<T>,
): Promise<{ readonly results: T[]; readonly tally: Tally }> {
  const count = Math.min(lanes, points)
  const shares = Array.from(
    { length: count },
    (_, lane) => Math.floor(points / count) + (lane < points % count ? 1 : 0),
  )
  const results = await Promise.all(
    shares.map((share, lane) => run(`${seed}/${lane}`, share, lane)),
  )
  return { results, tally: addTallies(...results.map(({ tally }) => tally)) }
}

export function addTallies(...tallies: readonly Tally[]): Tally {
  const all = newTally()
  for (const one of tallies) {
    for (const kind of ['lost', 'doubled', 'reordered', 'torn'] as const) all[kind] += one[kind]
    if (one.first) all.first ??= one.first
  }
  return all
}

export const sum = <T>(results: readonly T[], of: (result: T) => number): number =>
  results.reduce((total, one) => total + of(one), 0)
