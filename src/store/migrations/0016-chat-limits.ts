/** AG6 in chats: agents that could not answer in one because of their vendor's limit, until when, and whether they go on by themselves then. */
import type { Migration } from './migration.ts'

export const chatLimits: Migration = {
  version: 16,
  name: 'chat-limits',
  statements: ({ text }) => [
    `create table chat_limits (
      conversation_key ${text} primary key,
      project_id ${text} not null,
      agent_id ${text} not null,
      held ${text} not null,
      limited_until ${text},
      goes_on_by ${text},
      goes_on_left bigint not null
    )`,
    'create index chat_limits_due on chat_limits (limited_until) where limited_until is not null',
  ],
}
