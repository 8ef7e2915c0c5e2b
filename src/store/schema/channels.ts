/** The tables of channels, their chats and what is to be sent there, as tables.ts has the others. */
import type { ChannelName } from '../../domain/channels/key.ts'
import type { ChatState } from '../../domain/channels/pairing.ts'
import type { ChatLanguage } from '../../domain/channels/words.ts'
import type { Instant } from '../../domain/instant.ts'

export interface ChannelsTable {
  channel: ChannelName
  /** As the node that serves it has last seen it; it counts while that node holds it. */
  state: 'connecting' | 'connected' | 'failing'
  /** What is wrong, in words, without anything secret; null when nothing is. */
  trouble: string | null
  since: Instant
  /** Our account there; null before the first connection. */
  name: string | null
  link: string | null
  /** Who is served when the chat itself says nothing. */
  project_id: string | null
  agent_id: string | null
  /** Which run of which server serves it, and until when that is certain. */
  holder: string | null
  held_until: Instant | null
  last_in_at: Instant | null
  last_out_at: Instant | null
}

export interface ChannelChatsTable {
  channel: ChannelName
  chat_id: string
  kind: 'person' | 'group'
  title: string
  handle: string | null
  language: ChatLanguage
  state: ChatState
  /** Whom its messages are for; both null: the channel's. */
  project_id: string | null
  agent_id: string | null
  /** What a stranger has tried. */
  attempts: number
  asked_at: Instant
  decided_at: Instant | null
  decided_by: string | null
  last_in_at: Instant | null
  last_out_at: Instant | null
  /** Why the last answer could not be delivered; null when it was. */
  trouble: string | null
}

export interface PairingCodesTable {
  channel: ChannelName
  hash: string
  created_by: string
  created_at: Instant
  expires_at: Instant
}

/** What is to be sent to a chat: there from the commit of the message until the platform has taken it. */
export interface OutgoingTable {
  channel: ChannelName
  chat_id: string
  n: number
  content: string
  /** How many of its parts were sent. */
  parts_sent: number
  /** 'sending': begun; when its sender is gone, nobody knows whether it arrived. */
  state: 'waiting' | 'sending'
  /** Whether the next part may have been sent before. */
  maybe_sent: number
  attempts: number
  not_before: Instant
  created_at: Instant
}

export interface ChannelTables {
  channels: ChannelsTable
  channel_chats: ChannelChatsTable
  pairing_codes: PairingCodesTable
  outgoing: OutgoingTable
}
