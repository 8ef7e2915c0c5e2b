/**
 * The lifecycle of a launch: one supervised process of an agent (CO2), from the machine it is put
 * on to its end. Pure. An end comes from a report, from a takeover, or before anything was started,
 * and is never inferred.
 */

import type { Purpose } from '../agent-sessions/lifecycle.ts'
import type { Instant } from '../instant.ts'
import type { Detail } from '../notices.ts'
import { durationMs, type ProjectSettings } from '../projects/settings.ts'
import { type OfflinePeriod, onlineMsSince } from '../silence.ts'
import { statusNotice } from '../status-texts.ts'

/** Why a process ended (src/protocol/processes/process.ts). */
export type LaunchEndReason =
  | 'exited'
  | 'crashed'
  | 'start_failed'
  | 'start_timeout'
  | 'idle'
  | 'finished'
  | 'stopped_by_person'
  | 'shutdown'
  | 'leftover'
  | 'coordinator_lost'
  | 'withdrawn'

export interface Launch {
  readonly id: string
  readonly agentId: string
  readonly projectId: string
  /** The thread that it alone serves; empty: a common process. */
  readonly lane: string
  readonly coordinatorId: string
  /** The agent in a role of a user session that it runs; null for pulling agents. */
  readonly roleAgentId: string | null
  readonly state: 'waiting' | 'starting' | 'running' | 'held' | 'ended'
  readonly pid: number | null
  /** Identifies the process together with the pid. */
  readonly birth: string | null
  readonly orderedAt: Instant
  /** When it was begun; when it was seen running, once it was. */
  readonly startedAt: Instant | null
  readonly stopOrderedAt: Instant | null
  readonly stopReason: LaunchEndReason | null
  readonly endedAt: Instant | null
  readonly exitCode: number | null
  readonly signal: string | null
  readonly reason: LaunchEndReason | null
  /** In words: the error of a start that failed, or why it is held. */
  readonly detail: Detail | null
}

/** How a process ended, as its coordinator reports it. */
export interface Exit {
  readonly exitCode: number | null
  readonly signal: string | null
  /** The end was not observed: ended as an orphan, or already gone. */
  readonly found: 'leftover' | 'gone' | null
  readonly stopped: boolean
}

/** Work that no session has after an exit without an error. */
export type LeftBehind = 'never_signed_in' | 'in_mid_work' | null

export type LaunchEvent =
  | { readonly type: 'begin' }
  | { readonly type: 'started'; readonly pid: number; readonly birth: string }
  | { readonly type: 'start-failed'; readonly error: Detail }
  | ({ readonly type: 'exited'; readonly left: LeftBehind } & Exit)
  | { readonly type: 'stop'; readonly reason: LaunchEndReason; readonly detail?: Detail }
  | { readonly type: 'release'; readonly coordinatorId: string }
  | { readonly type: 'lost' }

/** `became`: the event in the log, `process-…`. */
export type LaunchDecision =
  | {
      readonly outcome: 'changed'
      readonly launch: Launch
      readonly became: 'waiting' | 'starting' | 'running' | 'stopping' | 'ended'
    }
  | { readonly outcome: 'unchanged' }

const unchanged: LaunchDecision = { outcome: 'unchanged' }

/**
 *   held ──release──▶ waiting ──begin──▶ starting ──started──▶ running
 *     │ stop             │ stop,            │ start-failed,       │ exited,
 *     │                  │ lost             │ exited, lost        │ lost
 *     ▼                  ▼                  ▼                     ▼
 *   ended              ended              ended                 ended
 *
 * A stop of what is starting or running is noted, and it goes on until its end is reported.
 * `ended` is final: what comes later changes nothing, its reason least of all. So is a stop that
 * was ordered: its reason is the reason of the end, whatever the process makes of it.
 */
export function decideLaunch(now: Instant, current: Launch, event: LaunchEvent): LaunchDecision {
  if (current.state === 'ended') return unchanged
  const begun = current.state === 'starting' || current.state === 'running'
  switch (event.type) {
    case 'begin':
      if (current.state !== 'waiting') return unchanged
      return {
        outcome: 'changed',
        became: 'starting',
        launch: { ...current, state: 'starting', startedAt: now },
      }
    case 'started':
      if (current.state === 'running' || current.state === 'held') return unchanged
      return {
        outcome: 'changed',
        became: 'running',
        launch: {
          ...current,
          state: 'running',
          pid: event.pid,
          birth: event.birth,
          startedAt: now,
        },
      }
    case 'release':
      if (current.state !== 'held') return unchanged
      return {
        outcome: 'changed',
        became: 'waiting',
        launch: {
          ...current,
          state: 'waiting',
          coordinatorId: event.coordinatorId,
          orderedAt: now,
          detail: null,
        },
      }
    case 'stop': {
      const detail = event.detail ?? current.detail
      if (!begun) return ended(now, { ...current, detail }, event.reason)
      if (current.stopReason !== null) return unchanged
      const launch = { ...current, stopOrderedAt: now, stopReason: event.reason, detail }
      return { outcome: 'changed', became: 'stopping', launch }
    }
    case 'lost':
      return current.state === 'held' ? unchanged : ended(now, current, 'coordinator_lost')
    case 'start-failed':
      return ended(now, { ...current, detail: event.error }, current.stopReason ?? 'start_failed')
    case 'exited': {
      const { exitCode, signal } = event
      const { reason, detail } = endOf(current, event, event.left)
      return ended(now, { ...current, exitCode, signal, detail: detail ?? current.detail }, reason)
    }
  }
}

interface WhyEnded {
  readonly reason: LaunchEndReason
  readonly detail?: Detail
}

/** CX6: what people are told of a process that others ended, by the reason of its launch. */
const stoppedBy: Readonly<Partial<Record<LaunchEndReason, Detail>>> = {
  shutdown: statusNotice('holdfastStopped'),
  leftover: statusNotice('coordinatorAnew'),
  coordinator_lost: statusNotice('takenOver'),
  stopped_by_person: statusNotice('stoppedByPerson'),
}

/** Undefined where it ended by itself, or nobody knows. */
export const whyStopped = (reason: LaunchEndReason | null): Detail | undefined =>
  reason === null ? undefined : stoppedBy[reason]

/** An ordered stop explains the end; otherwise the way it ended does. */
export function endOf(
  { stopReason }: Pick<Launch, 'stopReason'>,
  exit: Exit,
  left: LeftBehind,
): WhyEnded {
  if (stopReason !== null) return { reason: stopReason }
  if (exit.found === 'gone') return { reason: 'leftover', detail: statusNotice('wasGone') }
  if (exit.found === 'leftover') return { reason: 'leftover' }
  if (exit.stopped) return { reason: 'shutdown' }
  if (exit.signal !== null)
    return { reason: 'crashed', detail: statusNotice('endedBySignal', { signal: exit.signal }) }
  if (exit.exitCode !== 0)
    return {
      reason: 'crashed',
      detail: statusNotice('exitCode', { code: exit.exitCode ?? 'unknown' }),
    }
  // CO7: without an error too, or an agent that does nothing would be started for the same work for
  // ever.
  if (left === 'never_signed_in')
    return { reason: 'start_failed', detail: statusNotice('neverSignedIn') }
  if (left === 'in_mid_work') return { reason: 'crashed', detail: statusNotice('inMidWork') }
  return { reason: 'exited' }
}

const ended = (now: Instant, from: Launch, reason: LaunchEndReason): LaunchDecision => ({
  outcome: 'changed',
  became: 'ended',
  launch: { ...from, state: 'ended', endedAt: now, reason },
})

/** A new launch. With `heldBecause` it is held, and no coordinator gets it. */
export const order = (
  now: Instant,
  what: Pick<Launch, 'id' | 'agentId' | 'projectId' | 'lane' | 'coordinatorId'> &
    Partial<Pick<Launch, 'roleAgentId'>>,
  heldBecause: Detail | null,
): Launch => ({
  roleAgentId: null,
  ...what,
  state: heldBecause === null ? 'waiting' : 'held',
  pid: null,
  birth: null,
  orderedAt: now,
  startedAt: null,
  stopOrderedAt: null,
  stopReason: null,
  endedAt: null,
  exitCode: null,
  signal: null,
  reason: null,
  detail: heldBecause,
})

// Which launches the server stops because they are no longer needed (NA5, NA6, CO3). Processes of
// an unreachable coordinator are left alone, because silence proves nothing (CO6).
//
//   waiting   nobody needs it any more, or another coordinator can have it       withdrawn
//   held      its agent is off the project                                       withdrawn
//   started   never signed in                         agent.start_timeout        start_timeout
//             signed out, or was sent away            finishedAtMostMs           finished
//             chat, unheard of                        chat.hard_timeout          idle
//             chat, unheard of with messages it has   turn.max                   idle
//             task                                    never: a build may take hours

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
  readonly holds: {
    readonly purpose: Purpose
    readonly lastHeardAt: Instant
    readonly unanswered: boolean
  } | null
  /** When its last session ended, if none is live. */
  readonly signedOutAt: Instant | null
  readonly settings: ProjectSettings
}

export interface Overdue {
  readonly reason: LaunchEndReason
  readonly detail?: Detail
}

export function overdue(
  now: Instant,
  launch: Launch,
  facts: LaunchFacts,
  offline: readonly OfflinePeriod[],
): Overdue | undefined {
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
      return overdueProcess(launch, facts, (since) => onlineMsSince(since, now, offline))
  }
}

function overdueProcess(
  launch: Launch,
  facts: LaunchFacts,
  silentFor: (since: Instant) => number,
): Overdue | undefined {
  const { holds, settings, signedOutAt } = facts
  if (holds) {
    if (holds.purpose === 'task') return undefined
    const patience = durationMs(
      settings,
      holds.unanswered ? 'turn.max_minutes' : 'chat.hard_timeout_minutes',
    )
    return silentFor(holds.lastHeardAt) >= patience ? { reason: 'idle' } : undefined
  }
  if (!facts.signedIn) {
    const late =
      silentFor(launch.startedAt ?? launch.orderedAt) >=
      durationMs(settings, 'agent.start_timeout_seconds')
    const detail = statusNotice('notSignedIn', {
      seconds: Number(settings['agent.start_timeout_seconds']),
    })
    return late ? { reason: 'start_timeout', detail } : undefined
  }
  return signedOutAt !== null && silentFor(signedOutAt) >= maxFinishedMs
    ? { reason: 'finished' }
    : undefined
}

// Chooses the machine for a process (SC4): among those with all requested labels, the one with the
// lowest load relative to its capacity. When all are full, launches wait on the least loaded.

export interface Machine {
  readonly coordinatorId: string
  readonly labels: readonly string[]
  /** Running and ordered processes. */
  readonly processes: number
  /** null: the default. */
  readonly capacity: number | null
}

/**
 * Used in place of `coordinator.max_concurrent` for machines without a capacity; only proportions
 * matter.
 */
const usualCapacity = 64

/** Per machine. */
export const maxLabels = 32

export function chooseMachine(
  machines: readonly Machine[],
  launchIds: readonly string[],
): string | undefined {
  const full = ({ processes, capacity }: Machine): number => processes / (capacity ?? usualCapacity)
  return machines
    .filter(({ labels }) => launchIds.every((label) => labels.includes(label)))
    .toSorted((a, b) => full(a) - full(b) || (a.coordinatorId < b.coordinatorId ? -1 : 1))[0]
    ?.coordinatorId
}
