/**
 * What a measurement means. Only ratios are judged: each round's own figure over its yardstick's of
 * the same round, so what slowed the machine down for a moment slowed both. Pure.
 */
import { median, spread } from './statistics.ts'

export type Goal =
  /** A cost (time, processor, memory): at most `limit` times the yardstick's. */
  | { readonly kind: 'cost'; readonly limit: number }
  /** A rate (appends a second): at least `limit` times the yardstick's. */
  | { readonly kind: 'rate'; readonly limit: number }
  /**
   * A cost per item at 10n over the same at n: at most 1.3. Being cheaper by the dozen is no
   * mistake of the yardstick.
   */
  | { readonly kind: 'growth'; readonly limit: number }
  /**
   * A cost beside another way to do it, which is worse and not bare: at most `limit` times that.
   */
  | { readonly kind: 'peer'; readonly limit: number }
  /** A cost: at most `limit` more than the yardstick's, in its own unit. */
  | { readonly kind: 'over'; readonly limit: number }
  /**
   * A figure of ours that counts by itself: at most `limit`, in its own unit. The yardstick only
   * tells how much of it is ours.
   */
  | { readonly kind: 'most'; readonly limit: number }

export const flat: Goal = { kind: 'growth', limit: 1.3 }

/** A yardstick that disagrees with itself by more than this says nothing about anything else. */
const maxSpread = 1.5
/** Nobody is faster than the bare thing: past this the yardstick does more than it must. */
const maxGain = 1.05

export type Outcome = 'pass' | 'miss' | 'undecided' | 'yardstick wrong'

export interface Verdict {
  readonly outcome: Outcome
  /** The median of the per-round ratios. */
  readonly ratio: number
  readonly yardstickSpread: number
}

export function judge(goal: Goal, ours: readonly number[], yardstick: readonly number[]): Verdict {
  if (ours.length !== yardstick.length) throw new Error('Every round measures both')
  const ratio = median(ours.map((value, round) => value / (yardstick[round] ?? Number.NaN)))
  const yardstickSpread = spread(yardstick)
  const over = median(ours.map((value, round) => value - (yardstick[round] ?? Number.NaN)))
  const outcome =
    goal.kind === 'most'
      ? outcomeOfMost(goal.limit, ours)
      : outcomeOf(goal, ratio, over, yardstickSpread)
  return { outcome, ratio, yardstickSpread }
}

/** However little they agree, rounds that all are within the limit have kept it. */
function outcomeOfMost(limit: number, ours: readonly number[]): Outcome {
  if (ours.every((value) => value <= limit)) return 'pass'
  if (!(spread(ours) <= maxSpread)) return 'undecided'
  return median(ours) <= limit ? 'pass' : 'miss'
}

function outcomeOf(
  goal: Exclude<Goal, { kind: 'most' }>,
  ratio: number,
  over: number,
  yardstickSpread: number,
): Outcome {
  // Also when it is not a number: what cannot be compared is not passed.
  if (!(yardstickSpread <= maxSpread)) return 'undecided'
  switch (goal.kind) {
    case 'cost':
      if (ratio < 1 / maxGain) return 'yardstick wrong'
      return ratio <= goal.limit ? 'pass' : 'miss'
    case 'rate':
      if (ratio > maxGain) return 'yardstick wrong'
      return ratio >= goal.limit ? 'pass' : 'miss'
    case 'over':
      if (ratio < 1 / maxGain) return 'yardstick wrong'
      return over <= goal.limit ? 'pass' : 'miss'
    case 'growth':
    case 'peer':
      return ratio <= goal.limit ? 'pass' : 'miss'
  }
}

const worstFirst = [
  'miss',
  'yardstick wrong',
  'undecided',
  'pass',
] as const satisfies readonly Outcome[]
const exitCodes: Record<Outcome, number> = { pass: 0, miss: 1, 'yardstick wrong': 1, undecided: 2 }

/**
 * 0 only when every goal was met; 2 when nothing was missed but the machine was too busy to say so.
 */
export const exitCodeOf = (outcomes: readonly Outcome[]): number =>
  exitCodes[worstFirst.find((outcome) => outcomes.includes(outcome)) ?? 'pass']
