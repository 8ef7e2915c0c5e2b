/** Channels: who is served on them, and what is to be sent there (CN1, CN2). */
import type { Migration } from './migration.ts'

export const channelTables: Migration = {
  version: 12,
  name: 'channels',
  statements: ({ text, clustered }) => [
    // /stop in a chat: a turn that is to be cancelled still is when its coordinator comes back.
    `alter table chat_turns add column cancel_ordered_at ${text}`,
    `create table channels (
      channel ${text} primary key,
      state ${text} not null,
      trouble ${text},
      since ${text} not null,
      name ${text},
      link ${text},
      project_id ${text},
      agent_id ${text},
      holder ${text},
      held_until ${text},
      last_in_at ${text},
      last_out_at ${text}
    )`,
    `create table channel_chats (
      channel ${text} not null,
      chat_id ${text} not null,
      kind ${text} not null,
      title ${text} not null,
      handle ${text},
      language ${text} not null,
      state ${text} not null,
      project_id ${text},
      agent_id ${text},
      attempts bigint not null,
      asked_at ${text} not null,
      decided_at ${text},
      decided_by ${text},
      last_in_at ${text},
      last_out_at ${text},
      trouble ${text},
      primary key (channel, chat_id)
    ) ${clustered}`,
    'create index channel_chats_newest on channel_chats (channel, asked_at, chat_id)',
    "create index channel_chats_asking on channel_chats (channel, asked_at) where state = 'asking'",
    `create table pairing_codes (
      channel ${text} not null,
      hash ${text} not null,
      created_by ${text} not null,
      created_at ${text} not null,
      expires_at ${text} not null,
      primary key (channel, hash)
    ) ${clustered}`,
    `create table outgoing (
      channel ${text} not null,
      chat_id ${text} not null,
      n bigint not null,
      content ${text} not null,
      parts_sent bigint not null,
      state ${text} not null,
      maybe_sent bigint not null,
      attempts bigint not null,
      not_before ${text} not null,
      created_at ${text} not null,
      primary key (channel, chat_id, n)
    ) ${clustered}`,
  ],
}
