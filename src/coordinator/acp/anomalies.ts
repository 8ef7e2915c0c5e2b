/**
 * Counts invalid or unexpected input from an agent that was discarded. Reported at the first occurrence and at each power of ten,
 * so that no agent can flood the log. Samples are masked.
 */
import { mask } from '../../platform/mask.ts'
import type { Noise } from './wire.ts'

export type AnomalyKind =
  | Noise
  /** Files, terminals and other methods that are not offered. */
  | 'refused_request'
  | 'unknown_update'
  | 'another_session'
  /** Replayed or late. */
  | 'outside_of_turn'
  | 'turn_too_long'
  | 'too_many_questions'
  | 'cancel_ignored'
  | 'late_answer'

export interface Anomaly {
  readonly kind: AnomalyKind
  readonly count: number
  readonly bytes: number
  readonly sample: string
}

export class AnomalyCounter {
  readonly #report: (anomaly: Anomaly) => void
  readonly #seen = new Map<AnomalyKind, { count: number; bytes: number; tellAt: number }>()

  constructor(report: (anomaly: Anomaly) => void) {
    this.#report = report
  }

  count(kind: AnomalyKind, sample: string, bytes = 0): void {
    const seen = this.#seen.get(kind) ?? { count: 0, bytes: 0, tellAt: 1 }
    seen.count++
    seen.bytes += bytes
    this.#seen.set(kind, seen)
    if (seen.count < seen.tellAt) return
    seen.tellAt *= 10
    this.#report({ kind, count: seen.count, bytes: seen.bytes, sample: mask(sample) })
  }
}

/** Describes an anomaly for troubleshooting. */
export function anomalyText({ kind, count, bytes, sample }: Anomaly): string {
  const what = {
    not_json: 'lines that are no messages were left out',
    line_too_long: 'lines that are too long were left out',
    not_a_message: 'messages that make no sense were left out',
    answer_to_nothing: 'answers that nobody waits for were left out',
    unknown_notification: 'notices that are not known were left out',
    refused_request: 'requests that are not offered were refused',
    unknown_update: 'updates that are not known were left out',
    another_session: 'updates about another session were left out',
    outside_of_turn: 'updates outside of a turn were left out',
    turn_too_long: 'updates of a turn that said too much were left out',
    too_many_questions: 'questions were refused because too many are open',
    cancel_ignored: 'cancelled turns were not given back in time',
    late_answer: 'turns were given back late',
  }[kind]
  return `${what} (${count}${bytes > 0 ? `, ${bytes} bytes` : ''})${sample === '' ? '' : `: ${sample}`}`
}
