/**
 * Decides when an agent session expires (AS6, NA5), and how often "last seen" is written. Never
 * ends a session whose process is known to run, however long it has been silent. Pure.
 */
import { epochMs, type Instant, instant, later } from '../instant.ts'
import type { LiveAgentSession, TerminatingAgentSession } from './lifecycle.ts'

/** NA5: time for a terminating session's process to call again. */
export const maxTerminatingMs = 60_000
/** AS6: minimum interval between writes of "last seen". */
export const writeLastSeenEveryMs = 60_000

export interface SweepFacts {
  readonly ttlMs: number
  /**
   * The launch is recorded as running. The coordinator may be unreachable, so silence proves
   * nothing.
   */
  readonly processKnownToLive: boolean
  /** The last authenticated call this server remembers; the stored `expiresAt` may be older. */
  readonly lastSeenAt: Instant | null
  /** A running turn is never interrupted. */
  readonly hasRunningTurn: boolean
}

/** `extend`: expired, but its process runs, so it is checked again at `expiresAt`. No event. */
export type SweepDecision =
  | { readonly outcome: 'keep' }
  | { readonly outcome: 'extend'; readonly expiresAt: Instant }
  | {
      readonly outcome: 'end'
      readonly reason: 'expired' | 'closed'
      readonly stopsProcess: boolean
    }

export function sweep(
  now: Instant,
  agentSession: LiveAgentSession,
  facts: SweepFacts,
): SweepDecision {
  if (
    agentSession.state === 'terminating' &&
    !facts.hasRunningTurn &&
    now >= later(terminatingSince(agentSession), maxTerminatingMs)
  )
    return { outcome: 'end', reason: 'closed', stopsProcess: true }
  if (now < agentSession.expiresAt) return { outcome: 'keep' }
  const seenSince =
    facts.lastSeenAt === null ? agentSession.expiresAt : later(facts.lastSeenAt, facts.ttlMs)
  if (now < seenSince) return { outcome: 'extend', expiresAt: seenSince }
  if (facts.processKnownToLive) return { outcome: 'extend', expiresAt: later(now, facts.ttlMs) }
  return { outcome: 'end', reason: 'expired', stopsProcess: false }
}

/** NA5: counted from the end of the last turn. */
const terminatingSince = ({ terminatingAt, lastActivityAt }: TerminatingAgentSession): Instant =>
  lastActivityAt > terminatingAt ? lastActivityAt : terminatingAt

/**
 * Returns the `expiresAt` to write after an authenticated call, or undefined when the stored one is
 * recent enough. With a time to live under two minutes it is written twice per lifetime, because
 * other nodes rely on it.
 */
export function expiresAtToWrite(
  now: Instant,
  stored: Instant,
  ttlMs: number,
): Instant | undefined {
  // Compared as numbers, because every call gets here and few write.
  const wanted = epochMs(now) + ttlMs
  const stale = Math.min(writeLastSeenEveryMs, ttlMs / 2)
  // Also true after the setting was lowered: the stored value is too far ahead.
  return Math.abs(wanted - epochMs(stored)) >= stale ? instant(wanted) : undefined
}

/**
 * Moves every deadline by the time in which no agent could call; never beyond what a call made now
 * would set.
 */
export function postponed(
  now: Instant,
  current: LiveAgentSession,
  byMs: number,
  ttlMs: number,
): LiveAgentSession {
  const moved = (at: Instant, atMost: Instant): Instant => {
    const wanted = later(at, byMs)
    if (wanted <= atMost) return wanted
    return at > atMost ? at : atMost
  }
  const lease = {
    expiresAt: moved(current.expiresAt, later(now, ttlMs)),
    suspectedAt: current.suspectedAt === null ? null : moved(current.suspectedAt, now),
    // NA4: the soft timeout counts from here.
    lastAnswerAt: moved(current.lastAnswerAt ?? current.createdAt, now),
  }
  if (current.state === 'active') return { ...current, ...lease }
  return { ...current, ...lease, terminatingAt: moved(current.terminatingAt, now) }
}
