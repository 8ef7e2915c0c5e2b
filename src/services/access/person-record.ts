/** Finds a person who can be changed or removed. The installation's owner cannot. */

import { ownerId } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { type CredentialRow, type PersonRow, selectPerson } from '../../store/access/credentials.ts'
import type { Reader } from '../../store/store.ts'

export async function findChangeable(reader: Reader, personId: string): Promise<PersonRow> {
  if (personId === ownerId) throw new Refusal('last_owner')
  const person = await reader.first(selectPerson, { id: personId })
  if (!person) throw new Refusal('not_found', refusalText('noPerson'), { personId })
  return person
}

interface CredentialInput {
  readonly id: string
  readonly hash: string
  readonly by: string
  readonly now: Instant
}

/** Builds the row of a person's own token. */
export const personCredential = (person: PersonRow, { id, hash, by, now }: CredentialInput): CredentialRow => ({
  id,
  kind: 'person',
  person_id: person.id,
  name: person.name,
  hash,
  // A person's scopes come from their role at each request.
  scopes: '[]',
  created_by: by,
  created_at: now,
  expires_at: null,
})
