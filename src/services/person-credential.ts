/** The row of a person's own token. Pure. */
import type { Instant } from '../domain/instant.ts'
import type { CredentialRow } from '../store/queries/credentials.ts'
import type { PersonRow } from '../store/queries/people.ts'

interface Made {
  readonly id: string
  readonly hash: string
  readonly by: string
  readonly now: Instant
}

export const personCredential = (person: PersonRow, { id, hash, by, now }: Made): CredentialRow => ({
  id,
  kind: 'person',
  person_id: person.id,
  name: person.name,
  hash,
  // A person's come from the role at the moment of asking.
  scopes: '[]',
  created_by: by,
  created_at: now,
  expires_at: null,
})
