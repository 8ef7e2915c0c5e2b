/**
 * 49: CN4, CN5: who somebody on a platform is here, threads of chats, and how far a chat was read
 * and written. Conversations of Slack and Discord are chats on channels from now on.
 */
import { plainSql } from './migration.ts'

export const peopleAndThreadsOfChannels = plainSql(
  ({ text }) => `
    create table channel_people (
      channel ${text} not null,
      user_id ${text} not null,
      name ${text} not null,
      person_id ${text} not null,
      paired_at ${text} not null,
      primary key (channel, user_id)
    );
    create index channel_people_of on channel_people (person_id);

    alter table channels add column position ${text};
    alter table channel_chats add column parent_id ${text};
    alter table channel_chats add column hears ${text} not null default 'everybody';
    alter table channel_chats add column last_id ${text};
    alter table channel_chats add column last_ref ${text};

    create index channel_chats_by_key on channel_chats ((channel || ':' || chat_id));
    create index channel_chats_threads on channel_chats (channel, parent_id)
      where parent_id is not null;
    create index channel_chats_served on channel_chats (channel, state) where parent_id is null;
    create index channel_chats_recent on channel_chats (channel, last_in_at)
      where last_id is not null;
    drop index channel_chats_newest;
    create index channel_chats_newest on channel_chats (channel, asked_at, chat_id)
      where parent_id is null;

    update conversations set kind = 'channel'
      where kind = 'other' and (substr(key, 1, 6) = 'slack:' and length(key) > 6
        or substr(key, 1, 8) = 'discord:' and length(key) > 8);
  `,
)
