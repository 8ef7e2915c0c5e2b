/**
 * The relay client (RL1-RL6): user sessions over one WebSocket, in Node and in browsers, across
 * lost connections. Each followed session continues after the last delivered event, so none is
 * missed or repeated. A request under way is sent again under its id, which the server executes
 * once.
 *
 *   idle ──follow, request──▶ connecting ──open──▶ live ──lost──▶ reconnecting ──open──▶ live …
 *        4001 ──▶ signed-out (final)
 */
import type { Clock } from '../platform/time/clock.ts'
import type { Problem } from '../protocol/problem.ts'
import { backoffMs, clientClock, onBackOnline } from './backoff.ts'
import { newId } from './client.ts'
import { ProblemError, UnreachableError } from './failures.ts'
import type { RelayAnswer, RelayEvent, RelayRequest, RelaySnapshot } from './relay-messages.ts'
import { RelaySocket } from './relay-socket.ts'

export type RelayState =
  | { readonly state: 'idle' | 'connecting' | 'live' | 'signed-out' }
  /** `since`: when the connection was lost, in milliseconds since 1970. */
  | { readonly state: 'reconnecting'; readonly since: number }

export interface RelayOptions {
  /** `http://127.0.0.1:4747` */
  readonly url: string
  /** Left out in a browser, which uses the cookie. */
  readonly token?: string
  readonly onState?: (state: RelayState) => void
  readonly clock?: Clock
  readonly random?: () => number
}

export interface Following {
  readonly userSessionId: string
  /** The number of the last known event; 0 for all; left out, it begins with a snapshot. */
  readonly lastSeq?: number
  readonly onEvent: (event: RelayEvent) => void
  /** Replaces what was known. */
  readonly onSnapshot: (snapshot: RelaySnapshot) => void
  /** Called when all earlier events have been delivered. */
  readonly onCaughtUp?: () => void
  /** Called when the session cannot be followed; nothing more is delivered. */
  readonly onRefused?: (problem: Problem) => void
}

export interface Relay {
  /** Follows a user session until the returned function is called. One at a time for each. */
  follow(following: Following): () => void
  /**
   * Resolves with the answer; rejects with a `ProblemError`. Pass the same `requestId` to repeat an
   * unanswered request.
   */
  request(request: RelayRequest, requestId?: string): Promise<RelayAnswer>
  /** Begins a user session in a project, left out in the only one; resolves with its id. */
  create(projectId?: string): Promise<string>
  /** Skips the wait before the next attempt. */
  reconnectNow(): void
  close(): void
}

const reconnectBackoff = { firstMs: 250, maxMs: 15_000 }
/** A connection that lasted this long resets the backoff. */
const steadyMs = 1_000
/** The longest wait for an answer, including lost connections. */
const requestTimeoutMs = 60_000
/** An unused connection is kept this long: the next request often follows soon. */
const lingerMs = 2_000
const maxPending = 500

interface Pending {
  readonly text: string
  /** Whether the request is valid on this connection only. */
  readonly once: boolean
  readonly resolve: (answer: RelayAnswer) => void
  readonly reject: (error: Error) => void
  readonly stopWaiting: () => void
}

interface Subscription {
  readonly following: Following
  lastSeq: number | undefined
  /** The server's newest event when following began; undefined when reached or not yet known. */
  headSeq: number | undefined
}

export function openRelay(options: RelayOptions): Relay {
  return new RelayClient(options)
}

class RelayClient implements Relay {
  readonly #options: RelayOptions
  readonly #clock: Clock
  readonly #lanes = new Map<string, Subscription>()
  readonly #pending = new Map<string, Pending>()
  #socket: RelaySocket | undefined
  #stopWaiting: (() => void) | undefined
  #stopResting: (() => void) | undefined
  /** When the current connection was opened; undefined before that. */
  #openedAt: number | undefined
  #lostAt: number | undefined
  #quickLosses = 0
  #over = false

  constructor(options: RelayOptions) {
    this.#options = options
    this.#clock = options.clock ?? clientClock
  }

  follow(following: Following): () => void {
    const { userSessionId } = following
    if (this.#lanes.has(userSessionId))
      throw new Error(`The user session ${userSessionId} is followed already`)
    const lane: Subscription = { following, lastSeq: following.lastSeq, headSeq: undefined }
    this.#lanes.set(userSessionId, lane)
    this.#resume(lane)
    this.#connect()
    return () => {
      if (this.#lanes.get(userSessionId) !== lane) return
      this.#lanes.delete(userSessionId)
      this.#restLater()
    }
  }

  request(request: RelayRequest, requestId = newId()): Promise<RelayAnswer> {
    return this.#ask({ ...request, requestId }, requestId, false)
  }

  async create(projectId?: string): Promise<string> {
    const requestId = newId()
    const { sessionId: userSessionId } = await this.#ask(
      { type: 'session:create', projectId, requestId },
      requestId,
      true,
    )
    return String(userSessionId)
  }

  reconnectNow(): void {
    if (this.#stopWaiting) this.#open()
  }

  close(): void {
    this.#over = true
    this.#lanes.clear()
    this.#rejectAll(new UnreachableError(this.#options.url, 'network'))
    this.#stopResting?.()
    this.#rest()
  }

  #ask(message: object, requestId: string, once: boolean): Promise<RelayAnswer> {
    const { url } = this.#options
    if (this.#over || this.#pending.size >= maxPending)
      return Promise.reject(new UnreachableError(url, 'network'))
    const text = JSON.stringify(message)
    return new Promise((resolve, reject) => {
      const stopWaiting = this.#clock.after(requestTimeoutMs, () =>
        this.#settle(requestId)?.reject(new UnreachableError(url, 'timeout')),
      )
      this.#pending.set(requestId, { text, once, resolve, reject, stopWaiting })
      this.#socket?.send(text)
      this.#connect()
    })
  }

  #settle(requestId: string): Pending | undefined {
    const pending = this.#pending.get(requestId)
    this.#pending.delete(requestId)
    pending?.stopWaiting()
    if (pending) this.#restLater()
    return pending
  }

  #rejectAll(error: Error): void {
    for (const requestId of [...this.#pending.keys()]) this.#settle(requestId)?.reject(error)
  }

  #connect(): void {
    if (!this.#socket && !this.#stopWaiting && !this.#over) this.#open()
  }

  #open(): void {
    this.#stopWaiting?.()
    this.#stopWaiting = undefined
    if (this.#lostAt === undefined) this.#tell({ state: 'connecting' })
    const { url, token } = this.#options
    this.#socket = new RelaySocket({
      url,
      token,
      clock: this.#clock,
      onOpen: () => this.#opened(),
      onText: (text) => this.#take(text),
      onEnd: (code) => this.#lost(code),
      probe: () => {
        const [userSessionId] = this.#lanes.keys()
        return (
          userSessionId &&
          JSON.stringify({ type: 'agent:list', sessionId: userSessionId, requestId: newId() })
        )
      },
    })
  }

  /** Sessions first, so that events caused by a request are followed. */
  #opened(): void {
    this.#openedAt = this.#clock.now()
    this.#lostAt = undefined
    for (const lane of this.#lanes.values()) this.#resume(lane)
    for (const { text } of this.#pending.values()) this.#socket?.send(text)
    this.#tell({ state: 'live' })
  }

  #resume({ following: { userSessionId }, lastSeq }: Subscription): void {
    this.#socket?.send(
      JSON.stringify({
        type: 'session:resume',
        sessionId: userSessionId,
        lastSeq,
        requestId: userSessionId,
      }),
    )
  }

  #take(text: string): void {
    const message = parsed(text)
    if (!message) return this.#socket?.drop()
    const { type, sessionId: userSessionId = '', requestId, seq } = message
    const lane = this.#lanes.get(userSessionId)
    if (type === 'error') return this.#refused(message, requestId)
    if (type === 'session:snapshot' && lane) {
      const snapshot = message as unknown as RelaySnapshot
      lane.lastSeq = snapshot.atSeq
      lane.following.onSnapshot(snapshot)
    } else if (type === 'session:resumed' && lane) lane.headSeq = Number(message['headSeq'])
    else if (lane && seq !== undefined) this.#event(lane, message as unknown as RelayEvent)
    if (lane) this.#caughtUp(lane)
    if (requestId !== undefined) this.#settle(requestId)?.resolve(message)
  }

  /** A repeated answer resolves its request and is not delivered as an event. */
  #event(lane: Subscription, event: RelayEvent): void {
    if (lane.lastSeq === undefined || event.seq <= lane.lastSeq) return
    if (event.seq !== lane.lastSeq + 1) return this.#socket?.drop()
    lane.lastSeq = event.seq
    lane.following.onEvent(event)
  }

  #caughtUp(lane: Subscription): void {
    if (lane.headSeq === undefined || lane.lastSeq === undefined || lane.lastSeq < lane.headSeq)
      return
    lane.headSeq = undefined
    lane.following.onCaughtUp?.()
  }

  #refused(message: RelayAnswer, requestId: string | undefined): void {
    const problem = { ...message, type: '' } as unknown as Problem
    const lane = requestId === undefined ? undefined : this.#lanes.get(requestId)
    if (!lane) {
      if (requestId !== undefined) this.#settle(requestId)?.reject(new ProblemError(problem))
    } else if (problem.status === 429 || problem.status >= 500) this.#socket?.drop()
    else {
      this.#lanes.delete(lane.following.userSessionId)
      lane.following.onRefused?.(problem)
      this.#restLater()
    }
  }

  #lost(code: number | undefined): void {
    const { url, random = Math.random } = this.#options
    this.#socket = undefined
    for (const [requestId, { once }] of [...this.#pending])
      if (once) this.#settle(requestId)?.reject(new UnreachableError(url, 'network'))
    if (code === revokedCloseCode) return this.#signedOut()
    if (this.#lanes.size === 0 && this.#pending.size === 0) return this.#tell({ state: 'idle' })
    if (this.#lostAt === undefined) {
      this.#lostAt = this.#clock.now()
      this.#tell({ state: 'reconnecting', since: this.#lostAt })
    }
    if (this.#openedAt !== undefined && this.#clock.now() - this.#openedAt > steadyMs)
      this.#quickLosses = 0
    this.#openedAt = undefined
    const stopTimer = this.#clock.after(
      backoffMs(reconnectBackoff, this.#quickLosses++, random),
      () => this.#open(),
    )
    const stopListening = onBackOnline(() => this.#open())
    this.#stopWaiting = () => {
      stopTimer()
      stopListening()
    }
  }

  #signedOut(): void {
    this.#over = true
    this.#rejectAll(new UnreachableError(this.#options.url, 'network'))
    this.#tell({ state: 'signed-out' })
  }

  #restLater(): void {
    this.#stopResting?.()
    this.#stopResting = this.#clock.after(lingerMs, () => this.#rest())
  }

  /** Closes the connection when nothing uses it. */
  #rest(): void {
    if (this.#lanes.size > 0 || this.#pending.size > 0 || !(this.#socket || this.#stopWaiting))
      return
    this.#stopWaiting?.()
    this.#stopWaiting = undefined
    this.#socket?.close()
    this.#socket = undefined
    this.#lostAt = undefined
    this.#tell({ state: 'idle' })
  }

  #tell(state: RelayState): void {
    this.#options.onState?.(state)
  }
}

/**
 * The close code for an invalid credential (RL5). src/protocol/socket.ts has it too, with schemas
 * that a page need not load.
 */
const revokedCloseCode = 4001

function parsed(text: string): (RelayAnswer & { readonly requestId?: string }) | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return typeof message === 'object' && message !== null ? (message as RelayAnswer) : undefined
  } catch {
    return undefined
  }
}
