/** Which conversation has which name for its file (CV6): two that a file system would take for one never share it. */
import type { Migration } from './migration.ts'

export const conversationFiles: Migration = {
  version: 8,
  name: 'conversation files',
  statements: ({ text, clustered }) => [
    `create table conversation_names (
      name ${text} not null,
      conversation_key ${text} not null unique,
      primary key (name)
    ) ${clustered}`,
    // The chats there are, whose ids are plain ASCII; whatever else was begun before has a name with a digest.
    `insert into conversation_names (name, conversation_key)
      select lower(replace(key, ':', '_')), min(key) from conversations
      where key like 'web:%' or key like 'agent:%'
      group by lower(replace(key, ':', '_'))`,
  ],
}
