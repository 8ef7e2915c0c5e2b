/**
 * When a session ends by itself (AS6, NA5), and how rarely the sight of a living agent is written down. Pure: the sweeper
 * brings what it knows. It must never end a session whose process is known to live, however long that has been silent.
 */
import { epochMs, type Instant, instant, later } from '../instant.ts'
import type { LiveAgentSession, TerminatingAgentSession } from './lifecycle.ts'

/** NA5: how long a terminating session may wait for its process to ask. */
export const terminatingAtMostMs = 60_000
/** AS6: "last seen" is written at most this often. */
export const lastSeenWrittenEveryMs = 60_000

export interface SweepFacts {
  readonly ttlMs: number
  /** Its launch is on record as running, on a coordinator that may be unreachable: silence is not death. */
  readonly processKnownToLive: boolean
  /** The last authenticated call this server remembers; the stored `expiresAt` may be older. */
  readonly lastSeenAt: Instant | null
  /** It has a turn in hand: that is never taken from it. */
  readonly hasRunningTurn: boolean
}

/** `extend`: it has outlived its time but its process lives, so it need not be looked at again before `expiresAt`. No event. */
export type SweepDecision =
  | { readonly outcome: 'keep' }
  | { readonly outcome: 'extend'; readonly expiresAt: Instant }
  | { readonly outcome: 'end'; readonly reason: 'expired' | 'closed'; readonly stopsProcess: boolean }

export function sweep(now: Instant, agentSession: LiveAgentSession, facts: SweepFacts): SweepDecision {
  if (
    agentSession.state === 'terminating' &&
    !facts.hasRunningTurn &&
    now >= later(leavingSince(agentSession), terminatingAtMostMs)
  )
    return { outcome: 'end', reason: 'closed', stopsProcess: true }
  if (now < agentSession.expiresAt) return { outcome: 'keep' }
  const seenSince = facts.lastSeenAt === null ? agentSession.expiresAt : later(facts.lastSeenAt, facts.ttlMs)
  if (now < seenSince) return { outcome: 'extend', expiresAt: seenSince }
  if (facts.processKnownToLive) return { outcome: 'extend', expiresAt: later(now, facts.ttlMs) }
  return { outcome: 'end', reason: 'expired', stopsProcess: false }
}

/** NA5: counted from the end of the last turn. */
const leavingSince = ({ terminatingAt, lastActivityAt }: TerminatingAgentSession): Instant =>
  lastActivityAt > terminatingAt ? lastActivityAt : terminatingAt

/**
 * What an authenticated call of any kind makes of `expiresAt`: a new value to write, or nothing because the stored one is
 * good enough. Where the time to live is under two minutes, once a minute would be too rare to keep a caller alive on another
 * node, so it is written every half of that time.
 */
export function expiresAtToWrite(now: Instant, stored: Instant, ttlMs: number): Instant | undefined {
  // In numbers, because every call asks and few write.
  const wanted = epochMs(now) + ttlMs
  const stale = Math.min(lastSeenWrittenEveryMs, ttlMs / 2)
  // A setting that was lowered counts too: then the stored value is too far away.
  return Math.abs(wanted - epochMs(stored)) >= stale ? instant(wanted) : undefined
}

/**
 * While the machine slept or the server was away no agent could be heard, so that time counts against none of them: every
 * deadline moves by it, though never to where a call made now would not bring it.
 */
export function postponed(now: Instant, current: LiveAgentSession, byMs: number, ttlMs: number): LiveAgentSession {
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
