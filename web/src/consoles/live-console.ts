/**
 * User sessions as this page follows them, over one WebSocket for all. What was seen stays known
 * while one looks elsewhere, so coming back goes on behind the last event. What is written is kept
 * until the server has it, also over a reload of the tab.
 */
import { useSyncExternalStore } from 'react'
import { ProblemError } from '../../../src/client/client.ts'
import { openRelay, type RelayState } from '../../../src/client/relay.ts'
import type { RelayAnswer, RelayRequest } from '../../../src/client/relay-messages.ts'
import type { Me } from '../../../src/protocol/access/people.ts'
import type { PromptPart } from '../../../src/protocol/turns/prompt.ts'
import { publishFinished } from '../live/finished.ts'
import { client, me, queryClient } from '../live/queries.ts'
import { refreshRecent } from '../live/recent.ts'
import { newKey } from '../live/sending.ts'
import {
  afterEvent,
  type ConsoleState,
  emptyConsole,
  fromSnapshot,
  withOlder,
} from './console-state.ts'
import {
  isRefused,
  type Prompt,
  type PromptsOf,
  readPrompts,
  storePrompts,
} from './stored-prompts.ts'

export interface ConsoleData {
  readonly consoleState: ConsoleState
  /** All events up to now are included. */
  readonly whole: boolean
  readonly problem: unknown
  readonly prompts: readonly Prompt[]
}

/**
 * Sessions with more events than this begin with a snapshot, which has what was said but not each
 * step.
 */
const mostReplayed = 5000
const mostKnown = 5
const olderPage = 20
/** The first answer repeats what the snapshot had, and goes on behind it. */
const firstOlderPage = 100
/** What the sidebar tells of a console changes with these. */
const changesList = /^(?:permission:|session:|agent:(?:prompted|response|ready|failed|terminated))/
/** Several events at once cause one change. */
const gatherMs = 16

let relayState: RelayState = { state: 'idle' }
const relayListeners = new Set<() => void>()

const relay = openRelay({
  url: location.origin,
  onState: (state) => {
    relayState = state
    for (const listener of relayListeners) listener()
  },
})

export const useRelayState = (): RelayState =>
  useSyncExternalStore(
    (listener) => {
      relayListeners.add(listener)
      return () => relayListeners.delete(listener)
    },
    () => relayState,
  )

export const reconnectRelay = (): void => relay.reconnectNow()
export const createUserSession = (projectId: string): Promise<string> => relay.create(projectId)

class LiveConsole {
  readonly #userSessionId: string
  readonly #of: PromptsOf
  readonly #listeners = new Set<() => void>()
  #known: ConsoleData
  #next: ConsoleData
  #lastSeq: number | undefined
  /** The cursor behind the oldest page of turns that was read. */
  #older: string | undefined
  #stop: (() => void) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(of: PromptsOf) {
    this.#userSessionId = of.userSessionId
    this.#of = of
    this.#known = {
      consoleState: emptyConsole,
      whole: false,
      problem: undefined,
      prompts: readPrompts(of),
    }
    this.#next = this.#known
  }

  readonly get = (): ConsoleData => this.#known

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  request(request: WithoutSession<RelayRequest>): Promise<RelayAnswer> {
    return relay.request({ ...request, sessionId: this.#userSessionId } as RelayRequest)
  }

  send(role: string, text: string, attached: readonly PromptPart[] = []): void {
    this.#deliver({ requestId: newKey(), role, text, attached, error: undefined })
  }

  /**
   * Sends a prompt again: one without an answer under the same id, so that it is never delivered
   * twice; a refused one under a new id.
   */
  sendAgain(prompt: Prompt): void {
    this.discard(prompt)
    this.#deliver({
      ...prompt,
      requestId: isRefused(prompt.error) ? newKey() : prompt.requestId,
      error: undefined,
    })
  }

  discard({ requestId }: Prompt): void {
    this.#setPrompts(this.#next.prompts.filter((prompt) => prompt.requestId !== requestId))
  }

  /** Reads the turns before the oldest known one. */
  async readOlder(): Promise<void> {
    const query =
      this.#older === undefined
        ? { limit: firstOlderPage }
        : { limit: olderPage, cursor: this.#older }
    const params = { userSessionId: this.#userSessionId }
    const { items, nextCursor } = await client.get('/api/user-sessions/{userSessionId}/turns', {
      params,
      query,
    })
    this.#older = nextCursor ?? undefined
    this.#change({ consoleState: withOlder(this.#next.consoleState, items, nextCursor !== null) })
  }

  readonly again = (): void => {
    this.#stop?.()
    this.#change({ problem: undefined })
    this.#start()
  }

  #start(): void {
    let wanted = true
    let unfollow: (() => void) | undefined
    this.#stop = () => {
      wanted = false
      unfollow?.()
    }
    void this.#from().then((lastSeq) => {
      if (!wanted) return
      unfollow = relay.follow({
        userSessionId: this.#userSessionId,
        ...(lastSeq !== undefined && { lastSeq }),
        onEvent: (event) => {
          this.#lastSeq = event.seq
          if (this.#next.whole && changesList.test(event.type)) refreshRecent()
          // Replayed events are not announced.
          if (event.type === 'agent:response' && this.#next.whole) {
            publishFinished({
              what: 'answer',
              who: event.role,
              text: event.content || (event.error ?? ''),
              tag: `turn-${event.messageId}`,
              failed: event.stopReason !== 'end_turn',
            })
          }
          this.#change({ consoleState: afterEvent(this.#next.consoleState, event) })
        },
        onSnapshot: (snapshot) => {
          this.#lastSeq = snapshot.atSeq
          this.#older = undefined
          this.#change({ consoleState: fromSnapshot(snapshot) })
        },
        onCaughtUp: () => this.#change({ whole: true }),
        onRefused: (problem) => this.#change({ problem: new ProblemError(problem) }),
      })
      for (const prompt of this.#next.prompts) if (prompt.error === undefined) this.#deliver(prompt)
    })
  }

  /** The cursor to continue from; undefined: begin with a snapshot. */
  async #from(): Promise<number | undefined> {
    if (this.#lastSeq !== undefined) return this.#lastSeq
    const params = { userSessionId: this.#userSessionId }
    const found = await client
      .get('/api/user-sessions/{userSessionId}', { params, retries: 0 })
      .catch(() => undefined)
    return found && found.headSeq <= mostReplayed ? 0 : undefined
  }

  #deliver(prompt: Prompt): void {
    const others = this.#next.prompts.filter(({ requestId }) => requestId !== prompt.requestId)
    this.#setPrompts([...others, prompt])
    const { requestId, role, text, attached = [] } = prompt
    const parts = [...(text.trim() === '' ? [] : [{ type: 'text', text } as const]), ...attached]
    const content = attached.length === 0 ? text : parts
    const message = {
      type: 'agent:message',
      sessionId: this.#userSessionId,
      role,
      content,
    } as const
    relay.request(message, requestId).then(
      () => this.discard(prompt),
      (error: unknown) =>
        this.#setPrompts(
          this.#next.prompts.map((each) =>
            each.requestId === requestId ? { ...each, error } : each,
          ),
        ),
    )
  }

  #setPrompts(prompts: readonly Prompt[]): void {
    storePrompts(this.#of, prompts)
    this.#change({ prompts })
  }

  #change(change: Partial<ConsoleData>): void {
    this.#next = { ...this.#next, ...change }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#known = this.#next
      for (const listener of this.#listeners) listener()
    }, gatherMs)
  }
}

type WithoutSession<Request> = Request extends unknown ? Omit<Request, 'sessionId'> : never

const consoles = new Map<string, LiveConsole>()

export function liveConsole(userSessionId: string): LiveConsole {
  const personId = queryClient.getQueryData<Me>(me.queryKey)?.id ?? ''
  const key = `${userSessionId}.${personId}`
  const found = consoles.get(key) ?? new LiveConsole({ personId, userSessionId })
  // The newest last: the one that was looked at longest ago is forgotten.
  consoles.delete(key)
  consoles.set(key, found)
  const [oldest] = consoles.keys()
  if (consoles.size > mostKnown && oldest !== undefined) consoles.delete(oldest)
  return found
}

export type { LiveConsole }
