/**
 * Which messages wait for an agent, in which order they are handed over, and which of them an answer settles (NA7). Pure.
 * A message is unread until it was handed over *and* answered, so a process that dies in between loses nothing, and one that
 * arrives in between is not taken for answered.
 */
import type { Instant } from '../instant.ts'
import { type Priority, rankOf } from './priority.ts'

/** How many are handed over at once; the rest comes with the next call. */
export const handedOverAtOnce = 500

export interface UnreadMessage {
  readonly conversationKey: string
  readonly seq: number
  readonly priority: Priority
  readonly createdAt: Instant
  /** The agent session it was handed to; null before. One that has ended does not matter: it is handed over again. */
  readonly deliveredTo: string | null
}

export interface HandedOver<Message> {
  readonly conversationKey: string
  readonly messages: readonly Message[]
}

/** Who has to read a message: the receiver, or all of the project's agents but the sender; nobody if it is hidden (CH2). */
export function unreadFor(
  message: { readonly senderId: string; readonly receiverId: string | null; readonly visible: boolean },
  agentIds: readonly string[],
): string[] {
  if (!message.visible) return []
  return agentIds.filter((id) => id !== message.senderId && (message.receiverId === null || message.receiverId === id))
}

/**
 * What the agent session gets: the unread messages of one conversation, highest priority first, then oldest first. One, because
 * an answer goes to where the question came from. What it holds unanswered is settled first; otherwise the conversation with
 * the most urgent message, then the oldest.
 */
export function handOver<Message extends UnreadMessage>(
  unread: readonly Message[],
  agentSessionId: string,
): HandedOver<Message> | undefined {
  const held = unread.find((message) => message.deliveredTo === agentSessionId)
  const [first] = held ? [held] : unread.toSorted(byUrgencyThenAge)
  if (!first) return undefined
  const { conversationKey } = first
  const messages = unread
    .filter((message) => message.conversationKey === conversationKey)
    .sort((a, b) => rankOf(b.priority) - rankOf(a.priority) || a.seq - b.seq)
    .slice(0, handedOverAtOnce)
  return { conversationKey, messages }
}

/** What becomes read by an answer of this agent session: exactly what it was handed, and nothing that came later. */
export const answeredBy = <Message extends UnreadMessage>(unread: readonly Message[], agentSessionId: string): Message[] =>
  unread.filter((message) => message.deliveredTo === agentSessionId)

/** Picks between conversations, where only the time orders; numbers order within one. */
function byUrgencyThenAge(a: UnreadMessage, b: UnreadMessage): number {
  const sooner = rankOf(b.priority) - rankOf(a.priority)
  if (sooner !== 0) return sooner
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  if (a.conversationKey === b.conversationKey) return a.seq - b.seq
  return a.conversationKey < b.conversationKey ? -1 : 1
}
