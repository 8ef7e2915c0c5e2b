/**
 * Puts the messages of a chat and the turns that answered them into the order in which they are
 * read. Pure.
 */
import type { Message } from '../../../../src/protocol/conversations/message.ts'
import type { ThreadState } from '../../../../src/protocol/threads/thread-state.ts'
import { hasFailed, type ThreadTurn } from '../../../../src/protocol/threads/thread-turn.ts'

export type ChatEntry =
  | { readonly kind: 'message'; readonly at: string; readonly message: Message }
  /** `message`: what its answer became. */
  | {
      readonly kind: 'turn'
      readonly at: string
      readonly turn: ThreadTurn
      readonly message: Message | undefined
    }

/**
 * An answer stands where its turn began: what was written while it ran comes after it. Turns that
 * are older than the messages at hand are left out, as are those that did nothing and became no
 * message; those that failed or were cut off stay, as the record of that.
 */
export function entriesOf(messages: readonly Message[], turns: readonly ThreadTurn[]): ChatEntry[] {
  const byId = new Map(turns.map((turn) => [turn.id, turn]))
  const answers = new Map<string, Message>()
  const others: Message[] = []
  for (const message of messages) {
    const turn =
      message.role === 'assistant' && message.clientId !== null
        ? byId.get(message.clientId)
        : undefined
    if (turn) answers.set(turn.id, message)
    else others.push(message)
  }
  const oldest = messages[0]?.createdAt ?? ''
  const behind = new Map<number, ChatEntry[]>()
  const asked = others.filter(({ begunAt }) => begunAt === undefined)
  const put = (begunAt: string, entry: ChatEntry): void => {
    const place = asked.findLastIndex(({ createdAt }) => createdAt <= begunAt)
    behind.set(place, [...(behind.get(place) ?? []), entry])
  }
  for (const message of others)
    if (message.begunAt !== undefined)
      put(message.begunAt, { kind: 'message', at: message.createdAt, message })
  for (const turn of [...byId.values()].sort((a, b) => (a.at < b.at ? -1 : 1))) {
    const message = answers.get(turn.id)
    const isShown =
      message !== undefined ||
      turn.state === 'running' ||
      ((turn.items.length > 0 || hasFailed(turn)) && turn.at >= oldest)
    if (!isShown) continue
    put(turn.at, { kind: 'turn', at: turn.at, turn, message })
  }
  const shown = asked.map(
    (message): ChatEntry => ({ kind: 'message', at: message.createdAt, message }),
  )
  return [
    ...(behind.get(-1) ?? []),
    ...shown.flatMap((entry, index) => [entry, ...(behind.get(index) ?? [])]),
  ]
}

/** While one looks, only the reason tells it. */
const isCutOff = ({ state, stopReason }: ThreadTurn): boolean =>
  state === 'unknown' || stopReason === 'process_gone'

/**
 * The turn in which one that was cut off is told once more: the next one, with nothing said
 * between.
 */
export const repetitionOf = (entry: ChatEntry, next: ChatEntry | undefined): string | undefined =>
  entry.kind === 'turn' && isCutOff(entry.turn) && next?.kind === 'turn' ? next.turn.id : undefined

/** What was written to an agent that works on something else, in the order it will be told. */
export function queuedOf({ messages, waiting, turns }: ThreadState, isPaused: boolean): Message[] {
  // Nobody waits before it: it stands where it was written until its agent begins.
  if (!isPaused && !turns.some(({ state }) => state === 'running')) return []
  const bySeq = new Map(messages.map((message) => [message.seq, message]))
  return waiting.flatMap(({ seq }) => bySeq.get(seq) ?? [])
}
