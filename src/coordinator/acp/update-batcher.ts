/**
 * Joins an agent's many small updates into few. The first leaves at once, then a batch every 50 ms or when one is full. Keeps the
 * order, and holds at most one piece of text and a few updates.
 */
import type { Clock } from '../../platform/clock.ts'
import { type AgentUpdate, maxTextPiece } from '../../protocol/turns/agent-update.ts'
import { batchMs, maxWaitingUpdates } from './limits.ts'

export class UpdateBatcher {
  readonly #clock: Clock
  readonly #out: (update: AgentUpdate) => void
  #waiting: AgentUpdate[] = []
  #chars = 0
  /** Set during the interval after a batch. */
  #stopWaiting: (() => void) | undefined

  constructor(clock: Clock, out: (update: AgentUpdate) => void) {
    this.#clock = clock
    this.#out = out
  }

  add(update: AgentUpdate): void {
    if (update.kind === 'text' || update.kind === 'thought') return this.#addText(update.kind, update.text)
    this.#join(update)
    this.#emitWhenDue()
  }

  /** Emits pending updates now. */
  flush(): void {
    this.#stopWaiting?.()
    this.#stopWaiting = undefined
    this.#emit()
  }

  #addText(kind: 'text' | 'thought', text: string): void {
    for (let rest = text; rest !== ''; ) {
      const last = this.#waiting.at(-1)
      const before = last?.kind === kind ? last.text : ''
      const room = Math.max(1, maxTextPiece - before.length)
      const part = rest.slice(0, cutIndex(rest, room))
      rest = rest.slice(part.length)
      if (before !== '') this.#waiting.pop()
      this.#waiting.push({ kind, text: before + part })
      this.#chars += part.length
      this.#emitWhenDue()
    }
  }

  /** Replaces the previous pending update if it is about the same thing. */
  #join(update: AgentUpdate): void {
    const last = this.#waiting.at(-1)
    const same = last?.kind === update.kind && (update.kind !== 'tool' || idOf(last) === idOf(update))
    if (same) this.#waiting.pop()
    this.#waiting.push(update)
  }

  #emitWhenDue(): void {
    const full = this.#chars >= maxTextPiece || this.#waiting.length >= maxWaitingUpdates
    if (this.#stopWaiting && !full) return
    this.flush()
    this.#stopWaiting = this.#clock.after(batchMs, () => {
      this.#stopWaiting = undefined
      if (this.#waiting.length > 0) this.#emitWhenDue()
    })
  }

  #emit(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#chars = 0
    for (const update of waiting) this.#out(update)
  }
}

const idOf = (update: AgentUpdate): string | undefined => (update.kind === 'tool' ? update.call.toolCallId : undefined)

/** Never cuts inside a surrogate pair; takes one unit more instead. */
function cutIndex(text: string, room: number): number {
  const unit = text.charCodeAt(room - 1)
  return unit >= 0xd800 && unit < 0xdc00 ? room + 1 : room
}
