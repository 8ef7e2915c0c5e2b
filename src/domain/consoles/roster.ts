/**
 * Who may take a role of a user session (US1, US2, AG1), and who may be spoken to (RL6). Pure. A role is occupied until its agent is
 * terminated; one whose agent has failed is given to the next, which is the retry.
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
  /** Those that occupy a role. */
  readonly occupants: readonly Occupant[]
}

export interface NotNow {
  readonly refused: Extract<ErrorCode, 'user_session_terminated' | 'role_taken' | 'agent_not_active' | 'wrong_state'>
  readonly because?: NoticeText
}

/** `replaces`: the failed one that leaves the role to the new one. */
export type Place = { readonly replaces: boolean } | NotNow

export function placeFor({ state, occupants }: Console, role: string, maxOccupants: number): Place {
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

/** What is said to it reaches it. */
export function mayPrompt(state: Console['state'], occupant: RoleAgentLife | undefined): NotNow | undefined {
  if (state === 'TERMINATED') return { refused: 'user_session_terminated' }
  if (!occupant) return { refused: 'agent_not_active', because: refusalText('roleEmpty') }
  if (occupant.state === 'ACTIVE' && !occupant.leaving) return undefined
  return { refused: 'agent_not_active', because: refusalText(occupant.leaving ? 'beingTerminated' : isNow[occupant.state]) }
}

/** US3: nobody was connected for so long, and nothing runs. */
export const isForsaken = (detachedMs: number, allowedMs: number, runningTurns: number): boolean =>
  detachedMs >= allowedMs && runningTurns === 0
