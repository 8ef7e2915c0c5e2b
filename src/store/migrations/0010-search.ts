/** The search index over all messages (DC5). A background job indexes existing messages. */
import type { Migration } from './migration.ts'

export const search: Migration = {
  version: 10,
  name: 'search',
  statements: ({ text, clustered, search: { createTerms } }) => [
    `create table search_documents (
      id bigint primary key,
      conversation_key ${text} not null,
      seq bigint not null
    ) ${clustered}`,
    'create unique index search_documents_of on search_documents (conversation_key, seq)',
    `create table search_positions (
      conversation_key ${text} primary key,
      through bigint not null
    ) ${clustered}`,
    ...createTerms,
  ],
}
