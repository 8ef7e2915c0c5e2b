/** 52: CN8: the message in which an answer is shown while it is written. */
import { plainSql } from './migration.ts'

export const drafts = plainSql(
  ({ text }) => `
    alter table channel_chats add column draft_turn ${text};
    alter table channel_chats add column draft_ref ${text};
  `,
)
