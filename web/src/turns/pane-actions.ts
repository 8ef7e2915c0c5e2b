/**
 * What a person can do in a conversation with an agent, whichever way it came about: in a role over
 * the relay, in a chat over HTTP.
 */
import { createContext, useContext } from 'react'
import type { AlwaysTerms } from '../../../src/protocol/approvals/allowance.ts'
import type { AskedPermission } from '../../../src/protocol/consoles/user-session.ts'
import type { ConfigChange } from '../../../src/protocol/turns/config-change.ts'
import type { PromptPart } from '../../../src/protocol/turns/prompt.ts'

type Option = AskedPermission['options'][number]

export interface PaneActions {
  /** The agent that gets the prompts. */
  readonly agentId: string
  /** All that were in it one after another, where there were several. */
  readonly agents?: readonly { readonly agentId: string; readonly since: string }[]
  readonly projectId: string
  /** Undefined until it has begun. */
  readonly conversationKey: string | undefined
  readonly mayWrite: boolean
  /** `isQuestion`: any option is an answer (AP14). */
  readonly answer: (
    approvalId: number,
    option: Option,
    always?: AlwaysTerms,
    isQuestion?: boolean,
  ) => Promise<unknown>
  /** AP14: does not answer a question. */
  readonly decline: (approvalId: number) => Promise<unknown>
  /** Says once more what a failed turn was asked. */
  readonly retry: (turn: {
    readonly id: string
    readonly content: readonly PromptPart[]
  }) => Promise<unknown>
  readonly withdraw?: (messageId: string) => Promise<unknown>
  /** Puts what waits before another one (null: behind all), or has it answered next (CH18). */
  readonly move?: (messageId: string, to: { before: string | null } | 'now') => Promise<unknown>
  readonly configure?: (change: ConfigChange) => Promise<unknown>
  readonly goOn: (goOn: boolean) => Promise<unknown>
  readonly stop: () => Promise<unknown>
  /** Asks for the agent or model that goes on; left out where there is no choice. */
  readonly continueWith?: () => void
}

export const PaneActionsContext = createContext<PaneActions | undefined>(undefined)

export function usePaneActions(): PaneActions {
  const actions = useContext(PaneActionsContext)
  if (!actions) throw new Error('PaneActionsContext is missing')
  return actions
}

/** Who it was that worked on what was begun then. */
export const agentAt = ({ agents = [], agentId }: PaneActions, at: string): string =>
  (agents.findLast(({ since }) => since <= at) ?? agents[0])?.agentId ?? agentId
