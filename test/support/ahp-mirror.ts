/**
 * What a client of the Agent Host Protocol knows of the channels it subscribed to: snapshots, and
 * the actions since, folded as every client folds them.
 */
import type { ChatState } from '../../src/doors/ahp/chat-state.ts'
import { foldChat } from '../../src/doors/ahp/fold-chat.ts'
import type { AhpTestClient } from './ahp-client.ts'
import { foldChangeset, foldRoot, foldSession } from './ahp-session-fold.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails without
type Anything = any

interface Snapshot {
  readonly resource: string
  readonly state: Anything
  readonly fromSeq: number
}

export class AhpMirror {
  readonly states = new Map<string, Anything>()
  readonly #from = new Map<string, number>()
  readonly client: AhpTestClient
  #taken = 0
  lastSeq = 0

  constructor(client: AhpTestClient) {
    this.client = client
  }

  take({ resource, state, fromSeq }: Snapshot): Anything {
    this.follow()
    this.states.set(resource, state)
    this.#from.set(resource, fromSeq)
    this.lastSeq = Math.max(this.lastSeq, fromSeq)
    return state
  }

  async subscribe(channel: string): Promise<Anything> {
    const { snapshot } = await this.client.result('subscribe', { channel })
    return this.take(snapshot)
  }

  /** Folds what has come since; numbers only rise. */
  follow(): void {
    const { messages } = this.client
    for (; this.#taken < messages.length; this.#taken++) {
      const { method, params } = messages[this.#taken]
      if (method !== 'action') continue
      const { channel, serverSeq, action, rejectionReason } = params
      if (serverSeq <= this.lastSeq && this.#from.get(channel) !== undefined) {
        if (serverSeq <= (this.#from.get(channel) ?? 0)) continue
        throw new Error(`${serverSeq} came behind ${this.lastSeq}`)
      }
      this.lastSeq = serverSeq
      const state = this.states.get(channel)
      if (!state || rejectionReason !== undefined) continue
      this.states.set(channel, fold(state, action))
    }
  }
}

function fold(state: Anything, action: Anything): Anything {
  if (action.type.startsWith('chat/')) return foldChat(state as ChatState, action)
  if (action.type.startsWith('session/')) return foldSession(state, action)
  if (action.type.startsWith('changeset/')) return foldChangeset(state, action)
  return foldRoot(state, action)
}

/** What is absent, undefined and null are one; so are an empty list and none. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => each !== null && each !== undefined && name !== 'modifiedAt')
      .map(([name, each]) => [name, plain(each)]),
  )
}
