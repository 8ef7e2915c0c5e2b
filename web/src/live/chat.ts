/**
 * A conversation as the page knows it, and how each event changes it. Pure. Messages are in their order and without holes:
 * what is known reaches from some message to the newest.
 */

import type { Message } from '../../../src/protocol/conversations/message.ts'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import type { Page } from '../../../src/protocol/page.ts'
import { type ChatLimit, type ConversationState, snapshotMessageLimit } from '../../../src/protocol/snapshot.ts'

export interface Chat {
  /** Oldest first, without the hidden ones (CH2). */
  readonly messages: readonly Message[]
  /** The cursor of older messages; null: there are none; undefined: not read yet. */
  readonly older: string | null | undefined
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

export const withOlder = (chat: Chat, page: Page<Message>): Chat => ({
  ...withMessages(chat, page.items),
  older: page.nextCursor,
})

/** Replaces the known messages, unless the new part continues them. */
export function afterSnapshot(chat: Chat | undefined, { messages, handedOver, limit }: ConversationState): Chat {
  const oldest = messages.at(-1)
  if (chat && oldest && chat.messages.some((message) => message.seq === oldest.seq))
    return withMessages({ ...chat, handedOver, limit }, messages)
  const whole = messages.length < snapshotMessageLimit
  return withMessages({ ...emptyChat, handedOver, limit, older: whole ? null : undefined }, messages)
}

/** The same object when the event is about something else. */
export function afterChatEvent(chat: Chat, event: HoldfastEvent): Chat {
  if (!('data' in event)) return chat
  switch (event.type) {
    case 'message-added':
      return withMessages(chat, [event.data.message])
    case 'messages-delivered':
      return { ...chat, handedOver: [...new Set([...chat.handedOver, ...event.data.seqs])].slice(-mostKept) }
    case 'messages-read': {
      const { seqs } = event.data
      return { ...chat, handedOver: chat.handedOver.filter((seq) => !seqs.includes(seq)) }
    }
    case 'chat-limited': {
      const { until, goesOn } = event.data
      return { ...chat, limit: until === null ? null : { until, goesOn } }
    }
    case 'conversation-deleted':
      return { ...emptyChat, older: null }
    default:
      return chat
  }
}
