/**
 * Decides which launches the server stops because they are no longer needed (NA5, NA6, CO3). Processes of an unreachable
 * coordinator are left alone, because silence proves nothing (CO6). Pure.
 *
 *   waiting   nobody needs it any more, or another coordinator can have it       withdrawn
 *   held      its agent is off the project                                       withdrawn
 *   started   never signed in                         agent.start_timeout        start_timeout
 *             signed out, or was sent away            finishedAtMostMs           finished
 *             chat, unheard of                        chat.hard_timeout          idle
 *             chat, unheard of with messages it has   turn.max                   idle
 *             task                                    never: a build may take hours
 */

import type { Purpose } from '../agent-sessions/lifecycle.ts'
import type { Instant } from '../instant.ts'
import type { Detail } from '../notices.ts'
import { durationMs, type ProjectSettings } from '../projects/settings.ts'
import { type OfflinePeriod, onlineMsSince } from '../silence.ts'
import { statusNotice } from '../status-texts.ts'
import type { Launch, LaunchEndReason } from './lifecycle.ts'

/** Time for a process to exit after its session ended. */
const maxFinishedMs = 30_000

export interface LaunchFacts {
  /** The agent may still be started for its project. */
  readonly startable: boolean
  /** There is work that no live session has. */
  readonly hasWork: boolean
  readonly coordinator: 'here' | 'away'
  /** Another coordinator is reachable. */
  readonly othersReachable: boolean
  readonly signedIn: boolean
  /** The live session it holds. */
  readonly holds: { readonly purpose: Purpose; readonly lastHeardAt: Instant; readonly unanswered: boolean } | null
  /** When its last session ended, if none is live. */
  readonly signedOutAt: Instant | null
  readonly settings: ProjectSettings
}

export interface Overdue {
  readonly reason: LaunchEndReason
  readonly detail?: Detail
}

export function overdue(now: Instant, launch: Launch, facts: LaunchFacts, deaf: readonly OfflinePeriod[]): Overdue | undefined {
  // AG2: exists as long as its role in a user session.
  if (launch.roleAgentId !== null) return undefined
  switch (launch.state) {
    case 'ended':
      return undefined
    case 'held':
      return facts.startable ? undefined : { reason: 'withdrawn' }
    case 'waiting': {
      const elsewhere = facts.coordinator === 'away' && facts.othersReachable
      return !facts.startable || !facts.hasWork || elsewhere ? { reason: 'withdrawn' } : undefined
    }
    case 'starting':
    case 'running':
      if (launch.stopReason !== null || facts.coordinator === 'away') return undefined
      return overdueProcess(launch, facts, (since) => onlineMsSince(since, now, deaf))
  }
}

function overdueProcess(launch: Launch, facts: LaunchFacts, silentFor: (since: Instant) => number): Overdue | undefined {
  const { holds, settings, signedOutAt } = facts
  if (holds) {
    if (holds.purpose === 'task') return undefined
    const patience = durationMs(settings, holds.unanswered ? 'turn.max_minutes' : 'chat.hard_timeout_minutes')
    return silentFor(holds.lastHeardAt) >= patience ? { reason: 'idle' } : undefined
  }
  if (!facts.signedIn) {
    const late = silentFor(launch.startedAt ?? launch.orderedAt) >= durationMs(settings, 'agent.start_timeout_seconds')
    const detail = statusNotice('notSignedIn', { seconds: Number(settings['agent.start_timeout_seconds']) })
    return late ? { reason: 'start_timeout', detail } : undefined
  }
  return signedOutAt !== null && silentFor(signedOutAt) >= maxFinishedMs ? { reason: 'finished' } : undefined
}
