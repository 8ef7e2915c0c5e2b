/**
 * HT7: the code and parameters beside the English words of turns, contexts, roles, user sessions, worktrees, channels and messages.
 * `notices` is by field, where a row has several texts. Rows of before have the words alone.
 */
import type { Migration } from './migration.ts'

const tables = ['turns', 'contexts', 'user_sessions', 'worktrees', 'channels', 'channel_chats', 'messages', 'sessions']

export const moreNotices: Migration = {
  version: 29,
  name: 'more-notices',
  statements: ({ text }) => [
    ...tables.map((table) => `alter table ${table} add column notice ${text}`),
    `alter table role_agents add column notices ${text}`,
  ],
}
