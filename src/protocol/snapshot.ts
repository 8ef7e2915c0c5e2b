/** The state a stream's events start from: what `event: snapshot` and `GET /api/snapshot` hand out, per stream. */
import type { Agent } from './agents/agent.ts'
import type { Turn } from './consoles/user-session.ts'
import type { Conversation } from './conversations/conversation.ts'
import type { Message } from './conversations/message.ts'
import type { Project } from './projects/project.ts'
import type { Task } from './work/task.ts'
import type { WorkSession } from './work/work-session.ts'

/** Lists in a snapshot hold at most this many, newest first; the rest is read page by page. */
export const snapshotListLimit = 200

export interface HomeState {
  readonly projects: readonly Project[]
  readonly agents: readonly Agent[]
  /** How many approvals wait for a person, over all projects (AP5). */
  readonly pendingApprovals: number
}

export interface ProjectState {
  /** null: deleted, or never there. */
  readonly project: Project | null
  readonly agents: readonly Agent[]
  readonly workSessions: readonly WorkSession[]
  readonly tasks: readonly Task[]
  readonly pendingApprovals: number
}

/** The newest messages of a conversation in its snapshot; older ones are read page by page. */
export const snapshotMessageLimit = 50

export interface ConversationState {
  /** null: deleted, or not begun yet. */
  readonly conversation: Conversation | null
  /** Newest first, without the hidden ones. */
  readonly messages: readonly Message[]
  /** The numbers of those that a living agent has been handed and has not answered: it is at work on them (CH9). */
  readonly handedOver: readonly number[]
  /** AG6: its agent is at its vendor's limit. */
  readonly limit: ChatLimit | null
}

export interface ChatLimit {
  readonly until: string
  /** It is told again by itself then what it could not answer. */
  readonly goesOn: boolean
}

/** CH12: the turns that run in a conversation, with what was said so far. The message one becomes has the turn as its `clientId`. */
export interface TurnsState {
  readonly running: readonly { readonly agentId: string; readonly turn: Turn }[]
}
