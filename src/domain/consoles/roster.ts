/**
 * Decides whether a role of a user session can be taken (US1, US2, AG1) and whether its agent can be prompted (RL6). Pure. A role
 * is occupied until its agent is terminated. The role of a failed agent can be taken again, which is the retry.
 */
import { refusalText } from '../because.ts'
import type { ErrorCode } from '../errors.ts'
import type { NoticeText } from '../notices.ts'
import type { RoleAgentLife } from './lifecycle.ts'

export interface Occupant extends RoleAgentLife {
  readonly role: string
}

export interface Console {
  readonly state: 'ACTIVE' | 'TERMINATED'
  /** Agents that occupy a role. */
  readonly occupants: readonly Occupant[]
}

export interface ConsoleRefusal {
  readonly refused: Extract<ErrorCode, 'user_session_terminated' | 'role_taken' | 'agent_not_active' | 'wrong_state'>
  readonly because?: NoticeText
}

/** `replaces`: a failed agent gives up the role. */
export type RoleAssignment = { readonly replaces: boolean } | ConsoleRefusal

export function assignRole({ state, occupants }: Console, role: string, maxOccupants: number): RoleAssignment {
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
export function mayPrompt(state: Console['state'], occupant: RoleAgentLife | undefined): ConsoleRefusal | undefined {
  if (state === 'TERMINATED') return { refused: 'user_session_terminated' }
  if (!occupant) return { refused: 'agent_not_active', because: refusalText('roleEmpty') }
  if (occupant.state === 'ACTIVE' && !occupant.leaving) return undefined
  return { refused: 'agent_not_active', because: refusalText(occupant.leaving ? 'beingTerminated' : isNow[occupant.state]) }
}

/** US3: no client was connected for the allowed time, and no turn runs. */
export const isAbandoned = (detachedMs: number, allowedMs: number, runningTurns: number): boolean =>
  detachedMs >= allowedMs && runningTurns === 0
