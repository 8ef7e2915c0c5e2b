/**
 * Waiting calls of `get_next_action` (NA3). A call is answered as soon as a message, an approval or
 * a termination changes what its agent should do, and otherwise when its time is over. While it
 * waits it listens to doorbells and reads nothing. The answer comes from the store alone, so a call
 * lost with a server is simply made again.
 */

import { theServer } from '../../domain/access/caller.ts'
import { conversationStream, projectStream } from '../../domain/stream-name.ts'
import type { EventType } from '../../protocol/events.ts'
import { App } from '../../services/app.ts'
import {
  type FoundNextAction,
  findNextAction,
  type NextAnswer,
  takeNextAction,
} from '../../services/flows/work/take-next-action.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { FeedEvent, TailFollower } from '../live/tail.ts'

/** Upper bound; beyond it a call is answered at once, as if it had not asked to wait. */
const maxWaitingCalls = 10_000

/**
 * A call on another node supersedes this one only if it began this much later, because clocks of
 * nodes differ.
 */
const newerByMs = 1000

/** Answer to a call whose agent session has made a newer one. */
export const superseded = 'superseded'

export type WaitingCallsOptions = Pick<ServerDependencies, 'store' | 'clock' | 'tails'>

export class WaitingCalls {
  readonly #options: WaitingCallsOptions
  readonly #maxCalls: number
  readonly #calls = new Map<string, WaitingCall>()
  #closed = false

  constructor(options: WaitingCallsOptions, maxCalls = maxWaitingCalls) {
    this.#options = options
    this.#maxCalls = maxCalls
  }

  get size(): number {
    return this.#calls.size
  }

  /**
   * Whether a call of this agent session waits on this node, which proves that the agent is alive.
   */
  isWaiting(agentSessionId: string): boolean {
    return this.#calls.has(agentSessionId)
  }

  /**
   * `signal` aborts when the caller disconnects. `seen` is the result of a read made just before.
   */
  async next(
    caller: AgentCaller,
    waitSeconds: number,
    signal?: AbortSignal,
    seen?: FoundNextAction,
  ): Promise<NextAnswer | typeof superseded> {
    const { agentSessionId } = caller
    const { clock, store } = this.#options
    const word = `held ${agentSessionId}`
    const began = clock.now()
    this.#calls.get(agentSessionId)?.supersede()
    store.doorbell.sendSignal(word, began)
    const refused = this.#closed || signal?.aborted || this.#calls.size >= this.#maxCalls
    const call = new WaitingCall(this.#options, caller)
    if (refused || waitSeconds <= 0) return call.answerNow(seen)
    this.#calls.set(agentSessionId, call)
    const stopListening = store.doorbell.onSignal(
      word,
      (at) => at > began + newerByMs && call.supersede(),
    )
    const leave = () => call.leave()
    signal?.addEventListener('abort', leave, { once: true })
    try {
      return await call.answer(waitSeconds, seen)
    } finally {
      stopListening()
      signal?.removeEventListener('abort', leave)
      if (this.#calls.get(agentSessionId) === call) this.#calls.delete(agentSessionId)
    }
  }

  /** Answers all waiting calls with the current state; the agents call again. */
  close(): void {
    this.#closed = true
    for (const call of this.#calls.values()) call.leave()
  }
}

class WaitingCall implements TailFollower {
  readonly #options: WaitingCallsOptions
  readonly #caller: AgentCaller
  #superseded = false
  #over = false
  #rung = false
  #wake: (() => void) | undefined

  constructor(options: WaitingCallsOptions, caller: AgentCaller) {
    this.#options = options
    this.#caller = caller
  }

  supersede(): void {
    this.#superseded = true
    this.#ring()
  }

  leave(): void {
    this.#over = true
    this.#ring()
  }

  /** Receives the events of the project; most concern other agents. */
  take(events: readonly FeedEvent[]): void {
    if (events.some((event) => concerns(event, this.#caller))) this.#ring()
  }

  async answerNow(seen?: FoundNextAction): Promise<NextAnswer> {
    return this.#answerWith(seen ?? (await this.#read(0)))
  }

  async answer(
    waitSeconds: number,
    seen?: FoundNextAction,
  ): Promise<NextAnswer | typeof superseded> {
    const { clock } = this.#options
    const first = seen ?? (await this.#read(waitSeconds))
    if (isAnswer(first)) return this.#superseded ? superseded : this.#answerWith(first)
    const until = clock.now() + first.holdMs
    // A timer, because the clock may be set back while the caller's client gives up anyway.
    const stopWaiting = clock.after(first.holdMs, () => this.leave())
    let stopListening = (): void => {}
    try {
      stopListening = await this.#listen(first.chatKey)
      for (;;) {
        const left = Math.min(first.holdMs, Math.max(0, until - clock.now()))
        const found = await this.#read(left / 1000)
        if (this.#superseded) return superseded
        if (this.#over || isAnswer(found) || isOther(found, first))
          return await this.#answerWith(found)
        await this.#rungOrAfter(Math.min(left, found.checkAgainMs))
      }
    } finally {
      stopWaiting()
      stopListening()
    }
  }

  #read(waitSeconds: number): Promise<FoundNextAction> {
    return this.#options.store.query(findNextAction, { ...this.#caller, waitSeconds })
  }

  async #answerWith({
    changes,
    holdMs: _,
    suspected: __,
    checkAgainMs: ___,
    chatKey: ____,
    ...answer
  }: FoundNextAction): Promise<NextAnswer> {
    if (!changes) return answer
    return new App(this.#options.store).run(takeNextAction, this.#caller, theServer)
  }

  /** Subscribes before the next read, so that no change is missed. */
  async #listen(chatKey: string): Promise<() => void> {
    const { store, tails } = this.#options
    const project = projectStream(this.#caller.projectId)
    const stopBell = store.doorbell.on(conversationStream(chatKey), () => this.#ring())
    const tail = tails.acquire(project)
    tail.join(this)
    const stop = () => {
      stopBell()
      tail.leave(this)
      tails.release(project)
    }
    try {
      const [position] = await store.positions([project])
      tail.start(position?.head ?? 0)
      return stop
    } catch (error) {
      stop()
      throw error
    }
  }

  #ring(): void {
    this.#rung = true
    this.#wake?.()
  }

  async #rungOrAfter(ms: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const cancel = this.#options.clock.after(ms, resolve)
        this.#wake = () => {
          cancel()
          resolve()
        }
      })
    }
    this.#wake = undefined
    this.#rung = false
  }
}

/**
 * PX4: a waiting call is no sign of life, so a session suspected dead is answered at once and can
 * call again.
 */
const isAnswer = ({ holdMs, changes, suspected }: FoundNextAction): boolean =>
  holdMs === 0 || changes || suspected

/** A different wait is an answer too, because it may be for something else. */
const isOther = (found: FoundNextAction, first: FoundNextAction): boolean =>
  found.next.action !== first.next.action || approvalOf(found) !== approvalOf(first)

const approvalOf = ({ next }: FoundNextAction): number | undefined =>
  next.action === 'wait_for_approval' ? next.approvalId : undefined

/**
 * Events of a project that can change an agent's next action. The agent's own chat has its own
 * doorbell.
 */
const newsForAll: ReadonlySet<string> = new Set<EventType>([
  'approval-asked',
  'approval-decided',
  'approval-resubmitted',
  'agent-unassigned',
  'project-changed',
  'project-deleted',
])
const newsForOne: ReadonlySet<string> = new Set<EventType>([
  'agent-session-terminating',
  'agent-session-suspected',
  'agent-session-ended',
  'message-added',
  'turn-waiting',
])

function concerns({ type, json }: FeedEvent, { agentId, agentSessionId }: AgentCaller): boolean {
  if (newsForAll.has(type)) return true
  return newsForOne.has(type) && (json.includes(agentSessionId) || json.includes(agentId))
}
