/**
 * The lifecycle of an agent in a role of a user session (AG1). Pure. A requested end waits for the
 * process for a time (US4).
 */
import type { ErrorCode } from '../errors.ts'
import type { Detail, NoticeText } from '../notices.ts'
import { refusalText } from '../refusal-texts.ts'
import { statusNotice } from '../status-texts.ts'

/** How its process ended, as the launch reports it. */
export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** With the last lines of output. */
  readonly error: Detail
  readonly stoppedByPerson: boolean
  /**
   * Nothing is wrong with the agent: it was told to sleep, or Holdfast or its machine was stopped.
   */
  readonly toSleep: boolean
}

export type FailedStep = 'workspace' | 'process' | 'initialize' | 'session' | 'running'

/** A requested end, with the reason. */
export interface Leaving {
  readonly reason: Detail
}

export interface RoleAgentLife {
  readonly state: 'SPAWNING' | 'ACTIVE' | 'FAILED' | 'TERMINATED'
  readonly leaving: Leaving | null
  /** ACTIVE without a process; one is started when something waits for it (AG7). */
  readonly asleep: boolean
}

export type RoleAgentEvent =
  | { readonly type: 'ready' }
  | {
      readonly type: 'failed'
      readonly step: Exclude<FailedStep, 'running'>
      readonly error: Detail
      readonly exitCode?: number | null | undefined
      readonly signal?: string | null | undefined
    }
  | { readonly type: 'process-ended'; readonly end: ProcessEnd }
  | { readonly type: 'sleep' }
  /** `processLeft`: its process has to exit first. */
  | { readonly type: 'terminate'; readonly reason: Detail; readonly processLeft: boolean }
  /** The process did not exit in time. */
  | { readonly type: 'gave-up' }

export type RoleAgentDecision =
  | { readonly became: 'ready' }
  | { readonly became: 'asleep' }
  | {
      readonly became: 'failed'
      readonly step: FailedStep
      readonly error: Detail
      readonly exitCode: number | null
      readonly signal: string | null
    }
  | { readonly became: 'leaving'; readonly reason: Detail }
  | { readonly became: 'terminated'; readonly reason: Detail }
  | { readonly became: 'unchanged' }

const unchanged: RoleAgentDecision = { became: 'unchanged' }

/** Time for a process to exit (US4); its coordinator kills it then. */
export const leavingWithinMs = 5000

/**
 *   SPAWNING ──ready──▶ ACTIVE ──process ended──▶ FAILED ──terminate──▶ TERMINATED      (final)
 *      │ failed, process ended                      ▲                      ▲
 *      ├────────────────────────────────────────────┘                      │
 *      └── terminate, in any state: leaving ──process ended, gave up───────┘
 *
 * SPAWNING, ACTIVE ──sleep, ended with Holdfast──▶ asleep, without a process ──ready, of another──▶
 * ACTIVE. One that cannot be woken has failed.
 *
 * An agent that is leaving neither becomes ready nor fails. An unrequested end of its process is a
 * failure (AG4).
 */
export function decideUserSession(
  { state, leaving, asleep }: RoleAgentLife,
  event: RoleAgentEvent,
): RoleAgentDecision {
  if (state === 'TERMINATED') return unchanged
  const starts = (state === 'SPAWNING' || (state === 'ACTIVE' && asleep)) && !leaving
  switch (event.type) {
    case 'ready':
      return starts ? { became: 'ready' } : unchanged
    case 'failed':
      if (!starts) return unchanged
      return {
        became: 'failed',
        step: event.step,
        error: event.error,
        exitCode: event.exitCode ?? null,
        signal: event.signal ?? null,
      }
    case 'process-ended':
      if (leaving) return { became: 'terminated', reason: leaving.reason }
      if (event.end.stoppedByPerson)
        return { became: 'terminated', reason: statusNotice('stoppedByPerson') }
      if (event.end.toSleep && state !== 'FAILED') return asleep ? unchanged : { became: 'asleep' }
      // The failure was reported before its process exited.
      return state === 'FAILED' ? unchanged : failedWith(state, event.end)
    case 'sleep':
      return state === 'ACTIVE' && !leaving && !asleep ? { became: 'asleep' } : unchanged
    case 'terminate':
      if (leaving) return unchanged
      return { became: event.processLeft ? 'leaving' : 'terminated', reason: event.reason }
    case 'gave-up':
      return leaving ? { became: 'terminated', reason: leaving.reason } : unchanged
  }
}

function failedWith(
  state: 'SPAWNING' | 'ACTIVE',
  { error, exitCode, signal }: ProcessEnd,
): RoleAgentDecision {
  return {
    became: 'failed',
    step: state === 'ACTIVE' ? 'running' : 'process',
    error,
    exitCode,
    signal,
  }
}

/**
 * Decides whether a role of a user session can be taken (US1, US2, AG1) and whether its agent can
 * be prompted (RL6). Pure. A role is occupied until its agent is terminated. The role of a failed
 * agent can be taken again, which is the retry.
 */
export interface Occupant extends RoleAgentLife {
  readonly role: string
}

export interface Console {
  readonly state: 'ACTIVE' | 'TERMINATED'
  /** Agents that occupy a role. */
  readonly occupants: readonly Occupant[]
}

export interface ConsoleRefusal {
  readonly refused: Extract<
    ErrorCode,
    | 'user_session_terminated'
    | 'role_taken'
    | 'agent_not_found'
    | 'agent_not_active'
    | 'wrong_state'
  >
  readonly because?: NoticeText
}

/** `replaces`: a failed agent gives up the role. */
export type RoleAssignment = { readonly replaces: boolean } | ConsoleRefusal

export function assignRole(
  { state, occupants }: Console,
  role: string,
  maxOccupants: number,
): RoleAssignment {
  if (state === 'TERMINATED') return { refused: 'user_session_terminated' }
  const occupant = occupants.find((each) => each.role === role)
  if (occupant) return occupant.state === 'FAILED' ? { replaces: true } : { refused: 'role_taken' }
  if (occupants.length < maxOccupants) return { replaces: false }
  return { refused: 'wrong_state', because: refusalText('rosterFull', { count: maxOccupants }) }
}

const isNow = {
  SPAWNING: 'isSpawning',
  ACTIVE: 'isActive',
  FAILED: 'hasFailed',
  TERMINATED: 'isTerminated',
} as const satisfies Record<RoleAgentLife['state'], string>

/** Whether a prompt would reach the agent; the refusal if not. */
export function mayPrompt(
  state: Console['state'],
  occupant: RoleAgentLife | undefined,
): ConsoleRefusal | undefined {
  if (state === 'TERMINATED') return { refused: 'user_session_terminated' }
  if (!occupant) return { refused: 'agent_not_found', because: refusalText('roleEmpty') }
  if (occupant.state === 'ACTIVE' && !occupant.leaving) return undefined
  return {
    refused: 'agent_not_active',
    because: refusalText(occupant.leaving ? 'beingTerminated' : isNow[occupant.state]),
  }
}

/** US3: no client was connected for the allowed time, and no turn runs. */
export const isAbandoned = (detachedMs: number, allowedMs: number, runningTurns: number): boolean =>
  detachedMs >= allowedMs && runningTurns === 0

// Settings of a running agent (AG6): its mode, its model and other options. Only offered values are
// accepted. Pure.

/** One change at a time. */
export type ConfigChange =
  | { readonly modeId: string }
  | { readonly optionId: string; readonly value: string | boolean }

export interface Configurable {
  readonly modes: readonly { readonly id: string }[]
  readonly modeId: string | null
  readonly options: readonly {
    readonly id: string
    readonly value: string | boolean
    readonly values: readonly { readonly id: string }[]
  }[]
}

/** Limit of changes not yet answered. */
export const maxPendingChanges = 16

/** The field that is wrong and why; undefined: the agent offers it. */
export function notOffered(
  offers: Configurable,
  change: ConfigChange,
): { field: string; detail: NoticeText } | undefined {
  if ('modeId' in change) {
    if (offers.modes.some(({ id }) => id === change.modeId)) return undefined
    return { field: 'modeId', detail: without('noMode', change.modeId, offers.modes) }
  }
  const option = offers.options.find(({ id }) => id === change.optionId)
  if (!option)
    return { field: 'optionId', detail: without('noOption', change.optionId, offers.options) }
  const { value } = change
  const fits =
    typeof option.value === 'boolean'
      ? typeof value === 'boolean'
      : option.values.some(({ id }) => id === value)
  return fits
    ? undefined
    : { field: 'value', detail: notAmong(option.id, String(value), option.values) }
}

export function withChange<Offers extends Configurable>(
  offers: Offers,
  change: ConfigChange,
): Offers {
  if ('modeId' in change) return { ...offers, modeId: change.modeId }
  const { optionId, value } = change
  return {
    ...offers,
    options: offers.options.map((option) =>
      option.id === optionId ? { ...option, value } : option,
    ),
  }
}

/**
 * Returns the changes that set a restarted agent as it was before: one for each value that differs.
 */
export function changesTo(before: Configurable, now: Configurable): ConfigChange[] {
  const mode =
    before.modeId === null || before.modeId === now.modeId ? [] : [{ modeId: before.modeId }]
  const options = before.options.filter(
    ({ id, value }) => now.options.find((option) => option.id === id)?.value !== value,
  )
  return [...mode, ...options.map(({ id, value }) => ({ optionId: id, value }))].slice(
    0,
    maxPendingChanges,
  )
}

const maxNamedValues = 20

function without(
  what: 'noMode' | 'noOption',
  id: string,
  things: readonly { readonly id: string }[],
): NoticeText {
  return things.length === 0
    ? refusalText(what, { id })
    : refusalText(`${what}Among`, { id, offered: named(things) })
}

const notAmong = (
  id: string,
  value: string,
  things: readonly { readonly id: string }[],
): NoticeText =>
  things.length === 0
    ? refusalText('noValue', { id, value })
    : refusalText('noValueAmong', { id, value, offered: named(things) })

const named = (things: readonly { readonly id: string }[]): string =>
  things
    .slice(0, maxNamedValues)
    .map(({ id }) => id)
    .join(', ')
