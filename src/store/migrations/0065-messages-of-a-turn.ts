/** 65: the prompt of a turn that was pulled is made of its messages when it is read. */
import { plainSql } from './migration.ts'

export const messagesOfATurn = plainSql(
  () => `
    create index messages_of_turn on messages (turn_id, conversation_key, seq)
      where turn_id is not null;
  `,
)
