/**
 * Calls of `get_next_action` that wait (NA3): each is answered the moment a message, an approval or a termination changes what
 * its agent should do, and otherwise when its time is over. A waiting call listens to doorbells and asks the store nothing; what
 * it is answered comes from the store alone, so a call that is lost with a server is simply made again.
 */
import { webKey } from '../../domain/conversations/key.ts'
import { conversationStream, projectStream } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/clock.ts'
import type { EventType } from '../../protocol/events.ts'
import { type FoundNextAction, findNextAction, type NextAnswer } from '../../services/agent-sessions/find-next-action.ts'
import { takeNextAction } from '../../services/agent-sessions/take-next-action.ts'
import { findOpenConversations } from '../../services/conversations/queries.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import type { Store } from '../../store/store.ts'
import type { FeedEvent } from '../live/feed-event.ts'
import type { TailFollower, Tails } from '../live/tail.ts'

/** Beyond this a call is answered as it stands, as if it had not asked to wait. */
const maxWaitingCalls = 10_000

/** At another node a call is newer when it began so much later: nodes' clocks differ, and to be ended by an older one would be wrong. */
const newerByMs = 1000

/** A newer call of the same agent session waits in place of this one. */
export const superseded = 'superseded'

export interface WaitingCallsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly tails: Tails
}

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

  /** An agent waits here: it lives. */
  isWaiting(agentSessionId: string): boolean {
    return this.#calls.has(agentSessionId)
  }

  /** `signal`: the caller has gone away. `seen`: a look that was taken just now. */
  async next(
    caller: Receiver,
    waitSeconds: number,
    signal?: AbortSignal,
    seen?: FoundNextAction,
  ): Promise<NextAnswer | typeof superseded> {
    const { agentSessionId } = caller
    const { clock, store } = this.#options
    const word = `held ${agentSessionId}`
    const began = clock.now()
    this.#calls.get(agentSessionId)?.supersede()
    store.doorbell.say(word, began)
    const refused = this.#closed || signal?.aborted || this.#calls.size >= this.#maxCalls
    const call = new WaitingCall(this.#options, caller)
    if (refused || waitSeconds <= 0) return call.answerNow(seen)
    this.#calls.set(agentSessionId, call)
    const stopListening = store.doorbell.onWord(word, (at) => at > began + newerByMs && call.supersede())
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

  /** Whoever waits is answered as things stand, and calls again. */
  close(): void {
    this.#closed = true
    for (const call of this.#calls.values()) call.leave()
  }
}

class WaitingCall implements TailFollower {
  readonly #options: WaitingCallsOptions
  readonly #caller: Receiver
  #superseded = false
  #over = false
  #rung = false
  #wake: (() => void) | undefined

  constructor(options: WaitingCallsOptions, caller: Receiver) {
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

  /** What has happened in the project; most of it is about others. */
  take(events: readonly FeedEvent[]): void {
    if (events.some((event) => concerns(event, this.#caller))) this.#ring()
  }

  async answerNow(seen?: FoundNextAction): Promise<NextAnswer> {
    return this.#give(seen ?? (await this.#look(0)))
  }

  async answer(waitSeconds: number, seen?: FoundNextAction): Promise<NextAnswer | typeof superseded> {
    const { clock } = this.#options
    const first = seen ?? (await this.#look(waitSeconds))
    if (isAnswer(first)) return this.#superseded ? superseded : this.#give(first)
    const until = clock.now() + first.holdMs
    // By a timer, because a clock may be set back, and the caller's client gives up all the same.
    const stopWaiting = clock.after(first.holdMs, () => this.leave())
    let stopListening = (): void => {}
    try {
      stopListening = await this.#listen()
      for (;;) {
        const left = Math.min(first.holdMs, Math.max(0, until - clock.now()))
        const found = await this.#look(left / 1000)
        if (this.#superseded) return superseded
        if (this.#over || isAnswer(found) || isOther(found, first)) return await this.#give(found)
        await this.#rungOrAfter(Math.min(left, found.lookAgainMs))
      }
    } finally {
      stopWaiting()
      stopListening()
    }
  }

  #look(waitSeconds: number): Promise<FoundNextAction> {
    return this.#options.store.query(findNextAction, { ...this.#caller, waitSeconds })
  }

  async #give({ changes, holdMs: _, suspected: __, lookAgainMs: ___, ...answer }: FoundNextAction): Promise<NextAnswer> {
    if (!changes) return answer
    const { store } = this.#options
    const openConversations = await store.query(findOpenConversations, this.#caller)
    return store.run(takeNextAction, { ...this.#caller, openConversations })
  }

  /** From here on nothing is missed: what happened before is seen by the look that follows. */
  async #listen(): Promise<() => void> {
    const { store, tails } = this.#options
    const { projectId, agentId } = this.#caller
    const project = projectStream(projectId)
    const stopBell = store.doorbell.on(conversationStream(webKey(projectId, agentId)), () => this.#ring())
    const tail = tails.hold(project)
    tail.join(this)
    const stop = () => {
      stopBell()
      tail.leave(this)
      tails.letGo(project)
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

/** PX4: a call that waits proves nothing; one that is thought dead is sent back at once, so that its next call can. */
const isAnswer = ({ holdMs, changes, suspected }: FoundNextAction): boolean => holdMs === 0 || changes || suspected

/** Another wait is news too: it may be for something else. */
const isOther = (found: FoundNextAction, first: FoundNextAction): boolean =>
  found.next.action !== first.next.action || approvalOf(found) !== approvalOf(first)

const approvalOf = ({ next }: FoundNextAction): number | undefined =>
  next.action === 'wait_for_approval' ? next.approvalId : undefined

/** Of a project's events, those that can change what a waiting agent should do; its own chat rings by itself. */
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
])

function concerns({ type, json }: FeedEvent, { agentId, agentSessionId }: Receiver): boolean {
  if (newsForAll.has(type)) return true
  return newsForOne.has(type) && (json.includes(agentSessionId) || json.includes(agentId))
}
