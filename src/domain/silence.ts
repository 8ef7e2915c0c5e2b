/**
 * How long somebody has really been silent: time in which nobody could be heard does not count (AS6, CO6). A machine that slept, a
 * clock that jumped and a server that was away end nothing. Pure.
 */
import { epochMs, type Instant } from './instant.ts'

/** A stretch in which nobody could be heard. */
export interface Deaf {
  readonly from: Instant
  readonly to: Instant
}

/** More are joined, the oldest first, which only gives more time. */
export const maxDeafStretches = 32

/** Stretches do not overlap; they are told one after the other. */
export function heardMs(since: Instant, now: Instant, deaf: readonly Deaf[]): number {
  const [start, end] = [epochMs(since), epochMs(now)]
  let ms = Math.max(0, end - start)
  for (const { from, to } of deaf) ms -= Math.max(0, Math.min(end, epochMs(to)) - Math.max(start, epochMs(from)))
  return Math.max(0, ms)
}

export function withDeaf(known: readonly Deaf[], added: Deaf): readonly Deaf[] {
  const all = [...known, added]
  const [first, second, ...rest] = all
  if (!first || !second || all.length <= maxDeafStretches) return all
  return [{ from: first.from, to: second.to }, ...rest]
}
