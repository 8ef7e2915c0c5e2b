/**
 * Detects work for an agent in a project, and its purpose. Used at authentication (AS2), before a
 * start is ordered (CO3), and, without the check for live sessions, to judge an exit (PX4). Pure.
 */
import { epochMs, type Instant } from '../instant.ts'
import type { Purpose } from './lifecycle.ts'

/** AS3: lifetime of the request that an opened panel makes. */
export const pendingPurposeLifetimeMs = 10 * 60_000

export interface Work {
  /** A task of the agent in a running work session: in progress, or next in its plan (WK5). */
  readonly hasTask: boolean
  /** Visible, unanswered messages for the agent in the project. */
  readonly unreadMessages: number
}

export interface WorkFacts extends Work {
  /** When a panel was last opened, unless that was used or withdrawn. */
  readonly pendingChatSince: Instant | null
  /** Purposes for which the agent has a live session there, including `terminating` ones (AS4). */
  readonly live: readonly Purpose[]
}

/** `usesUpPendingChat`: this chat session is the one that the open panel asked for (AS3). */
export type WorkFound =
  | { readonly purpose: 'task' }
  | { readonly purpose: 'chat'; readonly usesUpPendingChat: boolean }
  | { readonly purpose: 'no_work' }

/** AS2: task work first, then chat work; neither where a live session has it. */
export function detectWork(now: Instant, facts: WorkFacts): WorkFound {
  if (facts.hasTask && !facts.live.includes('task')) return { purpose: 'task' }
  const panelIsOpen = isPending(now, facts.pendingChatSince)
  if ((facts.unreadMessages > 0 || panelIsOpen) && !facts.live.includes('chat'))
    return { purpose: 'chat', usesUpPendingChat: facts.pendingChatSince !== null }
  return { purpose: 'no_work' }
}

/**
 * PX4: the current work, regardless of sessions. An open panel is not work, so it says nothing
 * about which process survived.
 */
export function currentWork({ hasTask, unreadMessages }: Work): Purpose | 'no_work' {
  if (hasTask) return 'task'
  return unreadMessages > 0 ? 'chat' : 'no_work'
}

const isPending = (now: Instant, since: Instant | null): boolean =>
  since !== null && epochMs(now) - epochMs(since) < pendingPurposeLifetimeMs
