/**
 * The tables of channels: their chats, people, buttons, and what is to be sent. Part of tables.ts.
 */
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
    /** The turn whose answer is shown while it is written, and the message in which it is. */
    draft_turn: column<string | null>(null),
    draft_ref: column<string | null>(null),
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
   * What is to be sent to somebody outside, in order within a lane: a row exists from the commit
   * that says it until the target has accepted it. Of a channel the target is its name, and a lane
   * is a chat.
   */
  outbox: {
    target: key<ChannelName>(),
    lane: key<string>(),
    n: key<number>(),
    kind: fixed<OutboxKind>(),
    /** The text; JSON for other kinds (services/channels/ask-record.ts). */
    body: fixed<string>(),
    /** The next part. */
    part: column<number>(0),
    /** 'sending': begun; if its sender is gone, it is not known whether it arrived. */
    state: column<'waiting' | 'sending'>('waiting'),
    /** Whether the next part may have been sent before. */
    maybe_sent: column<number>(0),
    attempts: column<number>(0),
    not_before: column<Instant>(),
    /** Not sent any more after it. */
    expires_at: fixed<Instant | null>(null),
    created_at: fixed<Instant>(),
  },

  /** What was sent to a chat with buttons, and the message it stands in. */
  channel_asks: {
    /** `approval:12`, or `wait:` and the key of a conversation. */
    about: key<string>(),
    channel: key<ChannelName>(),
    chat_id: key<string>(),
    ref: column<string>(),
  },

  /** What a button means; the token on it is random, and only its hash is here. */
  channel_buttons: {
    hash: key<string>(),
    channel: fixed<ChannelName>(),
    chat_id: fixed<string>(),
    about: fixed<string>(),
    /** JSON: an option, a verdict or an answer. */
    choice: fixed<string>(),
    expires_at: fixed<Instant>(),
  },
}

/**
 * `answer`: an agent's. `ask`: something with buttons. `edit`: what became of one that was sent.
 */
export type OutboxKind = 'text' | 'answer' | 'ask' | 'edit'
