/** 48: comments on lines of changes, where they are, and what people have looked at. */
import { plainSql } from './migration.ts'

export const comments = plainSql(
  ({ text }) => `
    create table comments (
      id ${text} primary key,
      conversation_key ${text} not null,
      number bigint not null,
      in_reply_to ${text},
      author_id ${text} not null,
      text ${text} not null,
      state ${text} not null,
      resolved_by ${text},
      sent_seq bigint,
      side ${text} not null,
      file ${text} not null,
      line bigint not null,
      end_line bigint not null,
      blob ${text} not null,
      code ${text} not null,
      tree ${text} not null,
      path ${text} not null,
      through_turn ${text} not null,
      now_side ${text},
      now_file ${text} not null,
      now_line bigint not null,
      now_end_line bigint not null,
      created_at ${text} not null,
      updated_at ${text} not null
    );
    create index comments_of_conversation on comments (conversation_key, number);

    create table comment_places (
      comment_id ${text} not null,
      blob ${text} not null,
      conversation_key ${text} not null,
      line bigint,
      end_line bigint,
      primary key (comment_id, blob)
    );
    create index comment_places_of_conversation on comment_places (conversation_key);

    create table viewed_files (
      person_id ${text} not null,
      conversation_key ${text} not null,
      file ${text} not null,
      blob ${text} not null,
      primary key (person_id, conversation_key, file)
    );
    create index viewed_files_of_conversation on viewed_files (conversation_key);

    create table reviewed_trees (
      person_id ${text} not null,
      conversation_key ${text} not null,
      tree ${text} not null,
      at ${text} not null,
      primary key (person_id, conversation_key)
    );
  `,
)
