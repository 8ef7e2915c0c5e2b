/**
 * A conversation as the page knows it, and how each event changes it. Pure. Messages are in their
 * order and without holes: what is known reaches from some message to the newest.
 */

import type { ArchivePart } from '../../../src/protocol/conversations/archive.ts'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import {
  type ChatLimit,
  type ConversationState,
  snapshotMessageLimit,
} from '../../../src/protocol/snapshot.ts'

export interface Chat {
  /** Oldest first, without the hidden ones (CH2). */
  readonly messages: readonly Message[]
  /** Whether there are older messages; undefined: not known yet. */
  readonly older: boolean | undefined
  /** The numbers of those that an agent has been handed and has not answered. */
  readonly handedOver: readonly number[]
  /** The vendor's limit that the agent has reached (AG6). */
  readonly limit: ChatLimit | null
}

/** More than anybody scrolls through; the oldest are let go and can be read again. */
const mostKept = 10_000
const keptAfterCut = 5000

const emptyChat: Chat = { messages: [], older: undefined, handedOver: [], limit: null }

export function withMessages(chat: Chat, added: readonly Message[]): Chat {
  const known = new Set(chat.messages.map((message) => message.seq))
  const fresh = added.filter((message) => message.visible && !known.has(message.seq))
  if (fresh.length === 0) return chat
  const messages = [...chat.messages, ...fresh].sort((a, b) => a.seq - b.seq)
  if (messages.length <= mostKept) return { ...chat, messages }
  return { ...chat, messages: messages.slice(-keptAfterCut), older: undefined }
}

export const withOlder = (
  chat: Chat,
  { items, older }: Pick<ArchivePart, 'items' | 'older'>,
): Chat => ({
  ...withMessages(chat, items),
  older,
})

/**
 * The newest alone, as a snapshot has them: the older ones of a chat that nobody looks at can be
 * read again.
 */
export const newestOf = (chat: Chat): Chat =>
  chat.messages.length <= snapshotMessageLimit
    ? chat
    : { ...chat, messages: chat.messages.slice(-snapshotMessageLimit), older: undefined }

/** Replaces the known messages, unless the new part continues them. */
export function afterSnapshot(
  chat: Chat | undefined,
  { messages, handedOver, limit }: ConversationState,
): Chat {
  const oldest = messages.at(-1)
  if (chat && oldest && chat.messages.some((message) => message.seq === oldest.seq))
    return withMessages({ ...chat, handedOver, limit }, messages)
  const whole = messages.length < snapshotMessageLimit
  return withMessages(
    { ...emptyChat, handedOver, limit, older: whole ? false : undefined },
    messages,
  )
}

/** The same object when the event is about something else. */
export function afterChatEvent(chat: Chat, event: HoldfastEvent): Chat {
  if (!('data' in event)) return chat
  switch (event.type) {
    case 'message-added':
      return withMessages(chat, [event.data.message])
    case 'message-withdrawn':
      return { ...chat, messages: chat.messages.filter(({ seq }) => seq !== event.data.seq) }
    case 'messages-delivered':
      return {
        ...chat,
        handedOver: [...new Set([...chat.handedOver, ...event.data.seqs])].slice(-mostKept),
      }
    case 'messages-read': {
      const { seqs } = event.data
      return { ...chat, handedOver: chat.handedOver.filter((seq) => !seqs.includes(seq)) }
    }
    case 'chat-limited': {
      const { until, goesOn } = event.data
      return { ...chat, limit: until === null ? null : { until, goesOn } }
    }
    case 'conversation-deleted':
      return { ...emptyChat, older: false }
    case 'conversation-rewound': {
      const { undone, through } = event.data
      // What is brought back is read again (work.ts).
      return undone
        ? chat
        : { ...chat, messages: chat.messages.filter(({ seq }) => seq <= through) }
    }
    default:
      return chat
  }
}
