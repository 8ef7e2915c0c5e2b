/**
 * The state of a session (a thread of messages and turns with an agent) as everybody sees it:
 * server, page, command line and the doors for editors. `readThread` of the server makes it in one
 * read; `fold.ts` keeps it up to date from the events of its streams, and from nothing else. What
 * takes a query (activity, cost, changed lines) is not here: it stands in the conversation.
 */
import type { RoleAgent } from '../consoles/user-session.ts'
import type { Message } from '../conversations/message.ts'
import type { EventBodies, EventType } from '../events.ts'
import type { Notice } from '../notice-words.ts'
import { noOffers, type Offers } from './offers.ts'
import type { ThreadTurn } from './thread-turn.ts'

/** Messages and turns that a snapshot begins with, the newest; earlier ones are read in pages. */
export const threadMessages = 50
export const threadTurns = 20

/** The agent of a role. Everywhere else the agent is the conversation's. */
export type ThreadAgent = Pick<
  RoleAgent,
  | 'agentId'
  | 'conversation'
  | 'state'
  | 'workspace'
  | 'branch'
  | 'note'
  | 'error'
  | 'notices'
  | 'step'
  | 'exitCode'
  | 'signal'
  | 'notRestored'
>

/** What became of the agent of a role between its turns, as far as it was followed. */
export interface AgentRemark {
  readonly kind: 'started' | 'asleep' | 'failed' | 'ended'
  readonly at: string
  readonly text: string | null
  readonly notice?: Notice | null | undefined
}

export interface WaitingMessage {
  readonly seq: number
  /** How urgent it is; null: a person has put it in its place, before all without one. */
  readonly rank: number | null
}

export interface ThreadLimit {
  readonly until: string
  /** Continues by itself then. */
  readonly goesOn: boolean
  /** The turn that met it, in a role. */
  readonly messageId?: string | null
}

export interface ThreadState {
  /** In a role a prompt stands in its turn; everywhere else prompts are messages. */
  readonly isRole: boolean
  /** Oldest first and without holes up to the newest, without the hidden ones (CH2). */
  readonly messages: readonly Message[]
  /** Whether there are older messages; undefined: not known. */
  readonly older: boolean | undefined
  /** The numbers of those that an agent has been handed and has not answered (CH9). */
  readonly handedOver: readonly number[]
  /** Those that its agent was not given yet, in the order in which it will be (CH18). */
  readonly waiting: readonly WaitingMessage[]
  /** Those that run, and the newest that ended; oldest first. */
  readonly turns: readonly ThreadTurn[]
  /** The cursor of the page of turns before the oldest one here; null: there is none. */
  readonly earlierTurns: string | null
  readonly agent: ThreadAgent | null
  /** Who held the role last. */
  readonly lastAgentId: string
  readonly remarks: readonly AgentRemark[]
  /** Prompts that wait, in a role. */
  readonly queue: RoleAgent['queue']
  readonly limit: ThreadLimit | null
  readonly offers: Offers
  /** Something changed that no event tells whole: the snapshot is to be read again. */
  readonly isStale: boolean
}

export const emptyThread: ThreadState = {
  isRole: false,
  messages: [],
  older: false,
  handedOver: [],
  waiting: [],
  turns: [],
  earlierTurns: null,
  agent: null,
  lastAgentId: '',
  remarks: [],
  queue: [],
  limit: null,
  offers: noOffers,
  isStale: false,
}

/** An event without its place in a stream. */
export type ThreadEvent = {
  [Type in EventType]: {
    readonly type: Type
    readonly at: string
    readonly data: EventBodies[Type]
  }
}[EventType]

/** A thread with the number of the last event that it contains, of each of its streams. */
export interface Thread {
  readonly state: ThreadState
  readonly heads: Readonly<Record<string, number>>
}
