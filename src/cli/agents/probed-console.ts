/**
 * One agent in a console of its own, as `agents doctor` talks to it: starts, turns and ends, with
 * every event kept.
 */
import type { Relay } from '../../client/relay.ts'
import type { RelayEvent } from '../../client/relay-messages.ts'
import type { ToolCall } from '../../protocol/turns/agent-update.ts'

/** Starting may include a wait for the next minute, for agents that load once a minute. */
const startMs = 180_000
export const turnMs = 120_000
const endMs = 30_000
const role = 'doctor'

export interface Turn {
  readonly text: string
  readonly stopReason: string
  readonly error: string | null
  readonly calls: readonly ToolCall[]
  readonly asked: number
}

type Of<Type> = Extract<RelayEvent, { type: Type }>

export class ProbedConsole {
  readonly events: RelayEvent[] = []
  /** How permissions are answered. */
  answer: 'allowed' | 'denied' = 'allowed'
  readonly #relay: Relay
  readonly #agentId: string
  readonly #about: { readonly sessionId: string; readonly role: string }
  readonly #unfollow: () => void
  #waiting: (() => void)[] = []

  constructor(relay: Relay, agentId: string, userSessionId: string) {
    this.#relay = relay
    this.#agentId = agentId
    this.#about = { sessionId: userSessionId, role }
    const onEvent = (event: RelayEvent): void => this.#take(event)
    this.#unfollow = relay.follow({ userSessionId, lastSeq: 0, onEvent, onSnapshot: () => {} })
  }

  async close(): Promise<void> {
    await this.#relay
      .request({ type: 'session:terminate', sessionId: this.#about.sessionId })
      .catch(() => {})
    this.#unfollow()
  }

  cancel = (): Promise<unknown> => this.#relay.request({ type: 'agent:cancel', ...this.#about })

  async terminate(): Promise<void> {
    const seen = this.events.length
    await this.#relay.request({ type: 'agent:terminate', ...this.#about }).catch(() => {})
    await this.until(
      (events) => events.slice(seen).some(({ type }) => type === 'agent:terminated'),
      endMs,
    )
  }

  async start(load: boolean): Promise<Of<'agent:ready'>> {
    const seen = this.events.length
    await this.#relay.request({ type: 'agent:spawn', ...this.#about, agentId: this.#agentId, load })
    const isOver = ({ type }: RelayEvent) =>
      type === 'agent:ready' || type === 'agent:failed' || type === 'agent:terminated'
    await this.until((events) => events.slice(seen).some(isOver), startMs)
    const event = this.events.slice(seen).find(isOver)
    if (event?.type === 'agent:ready') return event
    throw new Error(
      event?.type === 'agent:failed' ? `${event.step}: ${event.error}` : 'it was ended',
    )
  }

  async turn(content: string): Promise<Turn> {
    const seen = this.events.length
    await this.#relay.request({ type: 'agent:message', ...this.#about, content })
    const isOver = ({ type }: RelayEvent) => type === 'agent:response' || type === 'agent:failed'
    await this.until((events) => events.slice(seen).some(isOver), turnMs)
    const events = this.events.slice(seen)
    const end = events.find(isOver)
    if (end?.type !== 'agent:response')
      throw new Error(end?.type === 'agent:failed' ? end.error : 'its process ended')
    const calls = new Map<string, ToolCall>()
    for (const event of events)
      if (event.type === 'agent:update' && event.update.kind === 'tool')
        calls.set(event.update.call.toolCallId, event.update.call)
    const askedCount = events.filter(({ type }) => type === 'permission:requested').length
    const { content: text, stopReason, error } = end
    return { text, stopReason, error, calls: [...calls.values()], asked: askedCount }
  }

  #take(event: RelayEvent): void {
    this.events.push(event)
    if (event.type === 'permission:requested') {
      const { approvalId, options } = event
      const canAllow = options.some(({ kind }) => kind === 'allow_once')
      const outcome = canAllow ? this.answer : 'denied'
      const { sessionId: userSessionId } = this.#about
      this.#relay
        .request({ type: 'permission:answer', sessionId: userSessionId, approvalId, outcome })
        .catch(() => {})
    }
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Waits until the events fulfil a condition. */
  async until(isDone: (events: readonly RelayEvent[]) => boolean, ms: number): Promise<void> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms / 1000} s`)), ms)
    try {
      while (!isDone(this.events))
        await Promise.race([
          new Promise<void>((resolve) => this.#waiting.push(resolve)),
          late.promise,
        ])
    } finally {
      clearTimeout(timer)
    }
  }

  last<Type extends RelayEvent['type']>(type: Type): Of<Type> | undefined {
    return this.events.findLast((event): event is Of<Type> => event.type === type)
  }
}

export const isFirstWord = (event: RelayEvent): boolean =>
  event.type === 'agent:response' ||
  event.type === 'agent:failed' ||
  (event.type === 'agent:update' &&
    (event.update.kind === 'text' || event.update.kind === 'thought'))
