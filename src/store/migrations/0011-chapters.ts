/** The days of conversations (DC): the open chapter of each, the closed ones, and the notes that are made of them. */
import type { Migration } from './migration.ts'

export const chapters: Migration = {
  version: 11,
  name: 'chapters',
  statements: ({ text, clustered }) => [
    `alter table conversations add column chapter_day ${text}`,
    `alter table conversations add column chapter_due_at ${text}`,
    'alter table conversations add column chapter_after bigint not null default 0',
    'alter table conversations add column chapter_messages bigint not null default 0',
    // What was said before there were days is one chapter, of the day it was touched last; it is due.
    `update conversations set chapter_day = substr(updated_at, 1, 10), chapter_due_at = updated_at,
      chapter_messages = message_count
      where exists (select 1 from messages where messages.conversation_key = conversations.key)`,
    'create index conversations_by_due on conversations (chapter_due_at, key) where chapter_due_at is not null',
    `create table chapters (
      conversation_key ${text} not null,
      day ${text} not null,
      after_seq bigint not null,
      through_seq bigint not null,
      message_count bigint not null,
      summary ${text} not null,
      closed_at ${text} not null,
      note_seq bigint,
      removed integer not null,
      primary key (conversation_key, day)
    ) ${clustered}`,
    'create index chapters_of_day on chapters (day, conversation_key)',
    // Those that no note knows of yet: few, and gone from here within seconds.
    'create index chapters_not_noted on chapters (day, conversation_key) where note_seq is null',
    `create table notes (
      day ${text} primary key,
      conversations bigint not null,
      messages bigint not null,
      seq bigint not null,
      written_seq bigint not null,
      problem ${text},
      updated_at ${text} not null
    )`,
    // DC2, DC6: whether a turn runs in a conversation.
    'create index unread_delivered on unread_messages (conversation_key) where delivered_to is not null',
    "create index chat_turns_running_in on chat_turns (conversation_key) where state = 'running'",
  ],
}
