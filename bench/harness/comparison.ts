/**
 * One line of the table: an operation of ours beside the bare thing it cannot beat, measured by
 * turns in one program. The goal is data; what it means stands in verdict.ts.
 */
import type { Goal } from './verdict.ts'

export interface Contender {
  readonly name: string
  /** Does the work once more and answers its figure, in the comparison's unit. */
  readonly round: () => Promise<number>
}

export interface Contest {
  readonly ours: Contender
  readonly yardstick: Contender
  readonly close: () => Promise<void>
}

export interface Comparison {
  /** Starts with its rule: `[SP5] durable append, 16 writers`. */
  readonly title: string
  readonly unit: string
  readonly goal: Goal
  /** Starts both; nothing of this is measured. */
  readonly prepare: () => Promise<Contest>
}
