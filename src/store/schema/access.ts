/** The tables of people, their credentials and sign-in links. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import { column, fixed, key } from './column.ts'

export const accessTables = {
  people: {
    id: key<string>(),
    name: fixed<string>(),
    role: column<'owner' | 'member' | 'viewer'>(),
    created_at: fixed<Instant>(),
  },

  /** All credentials besides the owner token: tokens of people and scripts, cookies of browsers. */
  credentials: {
    id: key<string>(),
    kind: fixed<'person' | 'browser' | 'script' | 'coordinator'>(),
    /** The responsible person: the holder of the token or browser, or its creator. */
    person_id: fixed<string>(),
    name: fixed<string>(),
    hash: fixed<string>(),
    scopes: fixed<string>(),
    created_by: fixed<string>(),
    created_at: fixed<Instant>(),
    expires_at: fixed<Instant | null>(null),
  },

  /** One-time sign-in links, stored as hashes and deleted when used. */
  sign_in_codes: {
    hash: key<string>(),
    person_id: fixed<string>(),
    expires_at: fixed<Instant>(),
  },
}
