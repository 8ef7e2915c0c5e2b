/**
 * The lifecycle of an agent session: the lease that one agent process holds on (agent, project) for
 * one purpose. Pure. Who may have one is decided in work-detection.ts; when it ends, in
 * next-action.ts, expiry.ts and process-exit.ts.
 */
import { type Instant, later } from '../instant.ts'

export type Purpose = 'chat' | 'task'

/**
 * Why it ended (AS5). `closed`: by a person · `orphaned`: inferred from process counts and work,
 * without a launch id · `other_conversation`: it can hold one conversation, and another's turn is
 * next.
 */
export type EndReason =
  | 'closed'
  | 'timeout'
  | 'work_done'
  | 'logout'
  | 'process_exited'
  | 'orphaned'
  | 'expired'
  | 'coordinator_lost'
  | 'revoked'
  | 'other_conversation'

interface Lease {
  readonly id: string
  readonly agentId: string
  readonly projectId: string
  /** As its launch: the thread that it alone serves; empty: a common process. */
  readonly lane: string
  readonly purpose: Purpose
  /**
   * The launch that authenticated, if it said so. The exit of that launch ends exactly this session
   * (PX2).
   */
  readonly launchId: string | null
  /** The work session it drives; ends with it (AS9). */
  readonly workSessionId: string | null
  readonly createdAt: Instant
  /** Moved by answers and task progress, not by other calls (AS6). */
  readonly lastActivityAt: Instant
  /** The last `respond_chat`; the soft timeout counts from here (NA4). */
  readonly lastAnswerAt: Instant | null
  readonly expiresAt: Instant
  /** Since when its process is suspected to be the one that exited (PX4). */
  readonly suspectedAt: Instant | null
}

export type ActiveAgentSession = Lease & { readonly state: 'active' }
export type TerminatingAgentSession = Lease & {
  readonly state: 'terminating'
  readonly terminatingAt: Instant
}
export type EndedAgentSession = Lease & {
  readonly state: 'ended'
  readonly terminatingAt: Instant
  readonly endedAt: Instant
  readonly endReason: EndReason
}
/** A live session blocks a second one of the same purpose (AS4). */
export type LiveAgentSession = ActiveAgentSession | TerminatingAgentSession
export type AgentSession = LiveAgentSession | EndedAgentSession

/**
 * `close`: asked to end; the process learns of it from its next call. `end`: over, with or without
 * notice.
 */
export type AgentSessionEvent =
  | { readonly type: 'close' }
  | { readonly type: 'end'; readonly reason: EndReason }

/** One event in the log each, so that every step of an end is recorded (AS5). */
export type Transition =
  | { readonly to: 'terminating'; readonly at: Instant }
  | { readonly to: 'ended'; readonly at: Instant; readonly reason: EndReason }

export type Decision =
  | {
      readonly outcome: 'changed'
      readonly agentSession: AgentSession
      readonly transitions: readonly Transition[]
    }
  | { readonly outcome: 'unchanged' }

const unchanged: Decision = { outcome: 'unchanged' }

/**
 *   active ──close──▶ terminating ──end──▶ ended
 *      └───────────────end──────────────────▲
 *
 * An end without notice passes through `terminating` in the same decision and gives both
 * transitions. `ended` is final: whatever comes later changes nothing, the reason least of all, so
 * a repeated logout or report is harmless (AS8, PX6).
 */
export function decideAgentSession(
  now: Instant,
  current: AgentSession,
  event: AgentSessionEvent,
): Decision {
  switch (current.state) {
    case 'active': {
      const terminating: TerminatingAgentSession = {
        ...current,
        state: 'terminating',
        terminatingAt: now,
      }
      const notice: Transition = { to: 'terminating', at: now }
      if (event.type === 'close')
        return { outcome: 'changed', agentSession: terminating, transitions: [notice] }
      return ended(now, terminating, event.reason, [notice])
    }
    case 'terminating':
      return event.type === 'close' ? unchanged : ended(now, current, event.reason, [])
    case 'ended':
      return unchanged
  }
}

function ended(
  now: Instant,
  from: TerminatingAgentSession,
  reason: EndReason,
  before: readonly Transition[],
): Decision {
  const agentSession: EndedAgentSession = {
    ...from,
    state: 'ended',
    endedAt: now,
    endReason: reason,
  }
  return {
    outcome: 'changed',
    agentSession,
    transitions: [...before, { to: 'ended', at: now, reason }],
  }
}

type BegunFields = 'createdAt' | 'lastActivityAt' | 'lastAnswerAt' | 'expiresAt' | 'suspectedAt'

export function begin(
  now: Instant,
  lease: Omit<Lease, BegunFields>,
  ttlMs: number,
): ActiveAgentSession {
  return {
    ...lease,
    state: 'active',
    createdAt: now,
    lastActivityAt: now,
    lastAnswerAt: null,
    expiresAt: later(now, ttlMs),
    suspectedAt: null,
  }
}

/**
 * AS6: both kinds of activity move `lastActivityAt`; an answer also restarts the soft timeout
 * (NA4).
 */
export const afterActivity = <Live extends LiveAgentSession>(
  now: Instant,
  current: Live,
  what: 'answer' | 'progress',
): Live => ({
  ...current,
  lastActivityAt: now,
  lastAnswerAt: what === 'answer' ? now : current.lastAnswerAt,
})

/** AS8: refusal of calls on an ended session, except `logout` and `get_next_action`. */
export const refusalOn = (
  current: AgentSession,
): { readonly code: 'session_ended'; readonly reason: EndReason } | undefined =>
  current.state === 'ended' ? { code: 'session_ended', reason: current.endReason } : undefined
