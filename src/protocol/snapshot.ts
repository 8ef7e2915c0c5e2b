/**
 * Snapshots of streams: the state their events start from, in `event: snapshot` and
 * `GET /api/snapshot`.
 */
import type { Agent } from './agents/agent.ts'
import type { AskedPermission, Turn } from './consoles/user-session.ts'
import type { Conversation } from './conversations/conversation.ts'
import type { Message } from './conversations/message.ts'
import type { Project } from './projects/project.ts'
import type { WaitingMessage } from './threads/thread-state.ts'
import type { AgentCommand } from './turns/agent-update.ts'
import type { TurnItem } from './turns/conversation-turn.ts'
import type { Task } from './work/task.ts'
import type { WorkSession } from './work/work-session.ts'

/** Length of lists in a snapshot, newest first; the rest is read page by page. */
export const snapshotListLimit = 200

export interface HomeState {
  readonly projects: readonly Project[]
  readonly agents: readonly Agent[]
  readonly pendingApprovals: number
}

export interface ProjectState {
  /** null: deleted or unknown. */
  readonly project: Project | null
  readonly agents: readonly Agent[]
  readonly workSessions: readonly WorkSession[]
  readonly tasks: readonly Task[]
  readonly pendingApprovals: number
}

/** The newest messages of a conversation in its snapshot; older ones are read page by page. */
export const snapshotMessageLimit = 50

export interface ConversationState {
  /** null: deleted or not begun. */
  readonly conversation: Conversation | null
  /** Newest first, without hidden ones. */
  readonly messages: readonly Message[]
  /**
   * Numbers of messages delivered to a running agent and not answered: it is working on them (CH9).
   */
  readonly handedOver: readonly number[]
  /** Messages that its agent was not given yet, in the order in which it will be (CH18). */
  readonly waiting: readonly WaitingMessage[]
  readonly limit: ChatLimit | null
}

export interface ChatLimit {
  readonly until: string
  /** Unanswered messages are sent again automatically then. */
  readonly goesOn: boolean
}

/**
 * CH14: a running turn with what came of it so far and what it asks. The resulting message has the
 * turn as its `clientId`.
 */
export interface RunningTurn {
  readonly agentId: string
  readonly turn: Turn
  /** With what was asked in it and decided. */
  readonly items: readonly TurnItem[]
  readonly permissions: readonly AskedPermission[]
}

export interface TurnsState {
  readonly running: readonly RunningTurn[]
  readonly commands: readonly {
    readonly agentId: string
    readonly commands: readonly AgentCommand[]
  }[]
}
