/** FS7, FS8: the files before and after each turn, rewinds and forks with their result, and the messages that a rewind took back. */
import type { Migration } from './migration.ts'

export const fileStates: Migration = {
  version: 34,
  name: 'file-states',
  statements: ({ text }) => [
    `create table turn_files (
      turn_id ${text} primary key,
      conversation_key ${text} not null,
      project_id ${text} not null,
      coordinator_id ${text} not null,
      top ${text},
      before_state ${text},
      after_state ${text},
      changes ${text},
      left_out ${text},
      from_seq bigint not null,
      kept_after bigint not null,
      rewound_by ${text},
      created_at ${text} not null
    )`,
    'create index turn_files_of_conversation on turn_files (conversation_key, created_at)',
    'create index turn_files_by_age on turn_files (created_at) where before_state is not null',
    `create table file_operations (
      id ${text} primary key,
      kind ${text} not null,
      state ${text} not null,
      conversation_key ${text} not null,
      turn_id ${text} not null,
      project_id ${text} not null,
      coordinator_id ${text} not null,
      top ${text} not null,
      ask ${text} not null,
      result ${text},
      asked_by ${text} not null,
      asked_at ${text} not null,
      ended_at ${text}
    )`,
    "create index file_operations_open on file_operations (asked_at) where state = 'asked'",
    'create index file_operations_of_conversation on file_operations (conversation_key, asked_at)',
    `alter table messages add column rewound_by ${text}`,
    `alter table conversations add column forked_from ${text}`,
  ],
}
