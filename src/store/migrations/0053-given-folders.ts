/**
 * 53: where a session works may be a folder that a person gave. The folders that were given in a
 * project are found again: who manages allows one once.
 */
import { plainSql } from './migration.ts'

export const givenFolders = plainSql(
  ({ text }) => `
    alter table conversations add column workplace_folder ${text};
    create index conversations_in_folders on conversations (project_id, workplace_folder)
      where workplace_folder is not null;
  `,
)
