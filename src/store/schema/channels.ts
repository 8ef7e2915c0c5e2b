/** The tables of channels, their chats, people and outgoing messages. Part of tables.ts. */
import type { ChatLanguage } from '../../domain/channels/chat-texts.ts'
import type { ChannelName } from '../../domain/channels/key.ts'
import type { ChatState } from '../../domain/channels/pairing.ts'
import type { Instant } from '../../domain/instant.ts'
import { column, fixed, key } from './column.ts'

export const channelTables = {
  channels: {
    channel: key<ChannelName>(),
    /** As last seen by the node that serves it; valid while that node holds it. */
    state: column<'connecting' | 'connected' | 'failing'>('connecting'),
    /** The current problem as text without secrets; null when there is none. */
    trouble: column<string | null>(null),
    /** JSON: the code and parameters beside `trouble`. */
    notice: column<string | null>(null),
    since: column<Instant>(),
    /** The bot's account on the platform; null before the first connection. */
    name: column<string | null>(null),
    link: column<string | null>(null),
    /** The default project for chats without their own. */
    project_id: column<string | null>(null),
    agent_id: column<string | null>(null),
    /** The server run that serves the channel, and until when that is certain. */
    holder: column<string | null>(null),
    held_until: column<Instant | null>(null),
    last_in_at: column<Instant | null>(null),
    last_out_at: column<Instant | null>(null),
    /** What the adapter needs to go on behind the last message taken. */
    position: column<string | null>(null),
  },

  channel_chats: {
    channel: key<ChannelName>(),
    chat_id: key<string>(),
    /** The chat that a thread stands in, which decides about admission and agent. */
    parent_id: fixed<string | null>(null),
    /** Who is heard in a group: everybody in it, or only people who are paired. */
    hears: column<'everybody' | 'people'>('everybody'),
    /** The platform's id of the newest message that was taken, and of the last one we sent. */
    last_id: column<string | null>(null),
    last_ref: column<string | null>(null),
    kind: column<'person' | 'group'>(),
    title: column<string>(),
    handle: column<string | null>(null),
    language: column<ChatLanguage>(),
    state: column<ChatState>(),
    /** The project and agent of the chat; both null: those of the channel. */
    project_id: column<string | null>(null),
    agent_id: column<string | null>(null),
    /** The number of attempts by an unpaired sender. */
    attempts: column<number>(0),
    asked_at: column<Instant>(),
    decided_at: column<Instant | null>(null),
    decided_by: column<string | null>(null),
    last_in_at: column<Instant | null>(null),
    last_out_at: column<Instant | null>(null),
    /** Why the last answer could not be delivered; null when it was. */
    trouble: column<string | null>(null),
    /** JSON: the code and parameters beside `trouble`. */
    notice: column<string | null>(null),
  },

  /** Who somebody on a platform is here: the person whose code they sent. */
  channel_people: {
    channel: key<ChannelName>(),
    user_id: key<string>(),
    name: column<string>(),
    person_id: column<string>(),
    paired_at: column<Instant>(),
  },

  pairing_codes: {
    channel: key<ChannelName>(),
    hash: key<string>(),
    created_by: fixed<string>(),
    created_at: fixed<Instant>(),
    expires_at: fixed<Instant>(),
  },

  /**
   * Outgoing messages: a row exists from the commit of the message until the platform has accepted
   * it.
   */
  outgoing: {
    channel: key<ChannelName>(),
    chat_id: key<string>(),
    n: key<number>(),
    content: fixed<string>(),
    parts_sent: column<number>(),
    /** 'sending': begun; if its sender is gone, it is not known whether it arrived. */
    state: column<'waiting' | 'sending'>(),
    /** Whether the next part may have been sent before. */
    maybe_sent: column<number>(),
    attempts: column<number>(),
    not_before: column<Instant>(),
    created_at: fixed<Instant>(),
  },
}
