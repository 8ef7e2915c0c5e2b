/**
 * Why a prompt of an editor does not run yet: a row that looks like a tool call, in progress until
 * it does. Looked at again and again, because nothing tells an editor what others wait for.
 */

import type { Clock } from '../../platform/time/clock.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { ThreadLimit } from '../../protocol/threads/thread-state.ts'
import type { AcpUpdate } from './updates.ts'

const lookEveryMs = 3000

interface StatusRowOptions {
  readonly clock: Clock
  /** Undefined: nothing waits; null: for nothing that is worth a word. */
  readonly words: () => Promise<string | null | undefined>
  readonly tell: (update: AcpUpdate) => void
}

export class StatusRow {
  readonly #options: StatusRowOptions
  #made = 0
  /** What is shown at present. */
  #shown: { readonly toolCallId: string; readonly title: string } | undefined
  #stop: (() => void) | undefined
  #isClosed = false

  constructor(options: StatusRowOptions) {
    this.#options = options
  }

  /** Something has been sent that may have to wait. */
  async look(): Promise<void> {
    this.#stop?.()
    const title = await this.#options.words()
    if (this.#isClosed) return
    this.#show(title ?? undefined)
    if (title !== undefined)
      this.#stop = this.#options.clock.after(lookEveryMs, () => void this.look().catch(() => {}))
  }

  /** Nothing of this editor waits any more. */
  over(): void {
    this.#stop?.()
    this.#show(undefined)
  }

  close(): void {
    this.#isClosed = true
    this.#stop?.()
  }

  #show(title: string | undefined): void {
    const { tell } = this.#options
    const before = this.#shown
    if (before?.title === title) return
    if (title === undefined) {
      this.#shown = undefined
      const done = { toolCallId: before?.toolCallId ?? '', status: 'completed' } as const
      return tell({ sessionUpdate: 'tool_call_update', ...done })
    }
    const toolCallId = before?.toolCallId ?? `holdfast.status.${++this.#made}`
    this.#shown = { toolCallId, title }
    if (before) return tell({ sessionUpdate: 'tool_call_update', toolCallId, title })
    const row = { toolCallId, title, kind: 'other', status: 'in_progress' } as const
    tell({ sessionUpdate: 'tool_call', ...row })
  }
}

/** What a prompt waits for, in words; null: for nothing that is worth a word. */
export function waitingFor(
  { activity, waitsFor, paused, agentId }: Conversation,
  limit: ThreadLimit | null,
  /** A process of its agent is there, and begins with it at once. */
  isServed: boolean,
): string | null {
  if (waitsFor === 'checkout') return 'Waiting: another session works in this folder'
  if (paused) return 'Paused: the turn before was stopped or has failed'
  if (limit) {
    const until = new Date(limit.until).toTimeString().slice(0, 5)
    return `${agentId} is at its limit until ${until}`
  }
  return activity === 'starting' && !isServed ? `Starting ${agentId}` : null
}
