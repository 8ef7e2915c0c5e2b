/**
 * Is there work for an agent in a project, and of which purpose? The same question is asked at authentication (AS2), before a
 * start is ordered (CO3), and, without the check for existing sessions, when an exit must be judged (PX4). Pure.
 */
import { epochMs, type Instant } from '../instant.ts'
import type { Purpose } from './lifecycle.ts'

/** AS3: somebody opened the panel; nobody waits there for longer. */
export const pendingPurposeLifetimeMs = 10 * 60_000

export interface Work {
  /** A task of the agent in the project whose work session is running: in progress, or the next of a plan that goes on (WK5). */
  readonly hasTask: boolean
  /** Visible messages for the agent in the project that nobody has answered. */
  readonly unreadMessages: number
}

export interface WorkFacts extends Work {
  /** When somebody last opened the panel, unless that was used up or withdrawn. */
  readonly pendingChatSince: Instant | null
  /** The purposes for which the agent has a live session there, `terminating` ones included (AS4). */
  readonly live: readonly Purpose[]
}

/** `usesUpPendingChat`: the chat session that begins now is the one the open panel was waiting for (AS3). */
export type WorkFound =
  | { readonly purpose: 'task' }
  | { readonly purpose: 'chat'; readonly usesUpPendingChat: boolean }
  | { readonly purpose: 'no_work' }

/** AS2: task work first, then chat work; neither where a live session has it already. */
export function detectWork(now: Instant, facts: WorkFacts): WorkFound {
  if (facts.hasTask && !facts.live.includes('task')) return { purpose: 'task' }
  const panelIsOpen = isPending(now, facts.pendingChatSince)
  if ((facts.unreadMessages > 0 || panelIsOpen) && !facts.live.includes('chat'))
    return { purpose: 'chat', usesUpPendingChat: facts.pendingChatSince !== null }
  return { purpose: 'no_work' }
}

/** PX4: what there is to do now, whoever does it. An open panel is a wish, not work, so it says nothing about who survived. */
export function workAtHand({ hasTask, unreadMessages }: Work): Purpose | 'no_work' {
  if (hasTask) return 'task'
  return unreadMessages > 0 ? 'chat' : 'no_work'
}

const isPending = (now: Instant, since: Instant | null): boolean =>
  since !== null && epochMs(now) - epochMs(since) < pendingPurposeLifetimeMs
