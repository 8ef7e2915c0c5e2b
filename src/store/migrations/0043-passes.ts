/**
 * 43: SE1, SE25: since when a browser was not used and where it signed in, and one table for
 * short-lived credentials. Browsers that are signed in stay so. Sign-in links that were made before
 * belong to the owner's credential: they live for minutes.
 */
import { plainSql } from './migration.ts'

export const passes = plainSql(
  ({ text }) => `
    alter table credentials add column used_at ${text};
    alter table credentials add column address ${text};

    create table passes (
      hash ${text} primary key,
      kind ${text} not null,
      scope ${text} not null,
      holder_id ${text} not null,
      made_with ${text} not null,
      created_at ${text} not null,
      expires_at ${text} not null
    );
    create index passes_by_end on passes (expires_at);
    create index passes_made_with on passes (made_with);

    insert into passes (hash, kind, scope, holder_id, made_with, created_at, expires_at)
      select hash, 'code', 'login', person_id, 'owner', expires_at, expires_at from sign_in_codes;
    drop table sign_in_codes;
  `,
)
