/** UI1: how far each person has read each conversation; all that is there counts as read. And who gave a conversation its title. */
import type { Migration } from './migration.ts'

export const seenConversations: Migration = {
  version: 30,
  name: 'seen-conversations',
  statements: ({ text, clustered }) => [
    `alter table conversations add column titled_by ${text}`,
    `create table seen_conversations (
      person_id ${text} not null,
      conversation_key ${text} not null,
      seq bigint not null,
      primary key (person_id, conversation_key)
    ) ${clustered}`,
    `insert into seen_conversations (person_id, conversation_key, seq)
      select people.id, messages.conversation_key, max(messages.seq) from people cross join messages
      group by people.id, messages.conversation_key`,
  ],
}
