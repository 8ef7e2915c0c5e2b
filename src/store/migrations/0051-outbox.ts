/**
 * 51: CN2, CN7: one outbox for what is sent to somebody outside, instead of messages to chats alone,
 * and buttons for what agents ask. What waits to be sent is kept.
 */
import { plainSql } from './migration.ts'

export const outbox = plainSql(
  ({ text }) => `
    create table outbox (
      target ${text} not null,
      lane ${text} not null,
      n bigint not null,
      kind ${text} not null,
      body ${text} not null,
      part bigint not null,
      state ${text} not null,
      maybe_sent bigint not null,
      attempts bigint not null,
      not_before ${text} not null,
      expires_at ${text},
      created_at ${text} not null,
      primary key (target, lane, n)
    );
    insert into outbox (target, lane, n, kind, body, part, state, maybe_sent, attempts, not_before,
        created_at)
      select channel, chat_id, n, 'text', content, parts_sent, state, maybe_sent, attempts,
        not_before, created_at from outgoing;
    drop table outgoing;

    create table channel_asks (
      about ${text} not null,
      channel ${text} not null,
      chat_id ${text} not null,
      ref ${text} not null,
      primary key (about, channel, chat_id)
    );
    create table channel_buttons (
      hash ${text} primary key,
      channel ${text} not null,
      chat_id ${text} not null,
      about ${text} not null,
      choice ${text} not null,
      expires_at ${text} not null
    );
    create index channel_buttons_of on channel_buttons (about);
    create index channel_buttons_by_end on channel_buttons (expires_at);
  `,
)
