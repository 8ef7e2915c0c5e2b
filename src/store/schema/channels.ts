/** The tables of channels, their chats and outgoing messages. Part of tables.ts. */
import type { ChatLanguage } from '../../domain/channels/chat-texts.ts'
import type { ChannelName } from '../../domain/channels/key.ts'
import type { ChatState } from '../../domain/channels/pairing.ts'
import type { Instant } from '../../domain/instant.ts'

export interface ChannelsTable {
  channel: ChannelName
  /** As last seen by the node that serves it; valid while that node holds it. */
  state: 'connecting' | 'connected' | 'failing'
  /** The current problem as text without secrets; null when there is none. */
  trouble: string | null
  /** JSON: the code and parameters beside `trouble`. */
  notice: string | null
  since: Instant
  /** The bot's account on the platform; null before the first connection. */
  name: string | null
  link: string | null
  /** The default project for chats without their own. */
  project_id: string | null
  agent_id: string | null
  /** The server run that serves the channel, and until when that is certain. */
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
  /** The project and agent of the chat; both null: those of the channel. */
  project_id: string | null
  agent_id: string | null
  /** The number of attempts by an unpaired sender. */
  attempts: number
  asked_at: Instant
  decided_at: Instant | null
  decided_by: string | null
  last_in_at: Instant | null
  last_out_at: Instant | null
  /** Why the last answer could not be delivered; null when it was. */
  trouble: string | null
  /** JSON: the code and parameters beside `trouble`. */
  notice: string | null
}

export interface PairingCodesTable {
  channel: ChannelName
  hash: string
  created_by: string
  created_at: Instant
  expires_at: Instant
}

/** Outgoing messages: a row exists from the commit of the message until the platform has accepted it. */
export interface OutgoingTable {
  channel: ChannelName
  chat_id: string
  n: number
  content: string
  /** The number of parts already sent. */
  parts_sent: number
  /** 'sending': begun; if its sender is gone, it is not known whether it arrived. */
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
