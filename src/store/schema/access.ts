/** The tables of people, their credentials and sign-in links. Part of tables.ts. */
import type { TokenKind } from '../../domain/access/caller.ts'
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
    kind: fixed<'person' | 'browser' | TokenKind>(),
    /** The responsible person: the holder of the token or browser, or its creator. */
    person_id: fixed<string>(),
    name: fixed<string>(),
    hash: fixed<string>(),
    scopes: fixed<string>(),
    created_by: fixed<string>(),
    created_at: fixed<Instant>(),
    /** Moves on while a browser is used (SE1). */
    expires_at: column<Instant | null>(null),
    /** When a browser was last used, to the hour, and the address it signed in from. */
    used_at: column<Instant | null>(null),
    address: fixed<string | null>(null),
  },

  /**
   * Credentials that are short-lived or stand in an address, as hashes: `code` of a sign-in link,
   * `ticket` of a WebSocket. Each is good for what its scope says until its end.
   */
  passes: {
    hash: key<string>(),
    kind: fixed<'code' | 'ticket'>(),
    scope: fixed<string>(),
    holder_id: fixed<string>(),
    /**
     * The hash of the credential it is made with, without which it counts for nothing; `owner` for
     * the owner's.
     */
    made_with: fixed<string>(),
    created_at: fixed<Instant>(),
    expires_at: fixed<Instant>(),
  },
}
