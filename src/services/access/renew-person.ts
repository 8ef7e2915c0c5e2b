/**
 * Replaces a person's token. The old one, its browsers and sign-in links stop working at once; tokens they made stay. A caller
 * cannot do this for somebody with more rights (SE3).
 */
import { exceeding, scopesOf } from '../../domain/access/scopes.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets.ts'
import type { PersonWithToken } from '../../protocol/access/people.ts'
import {
  deleteCredential,
  deleteSignInCodesOfPerson,
  insertCredential,
  isToken,
  personOf,
  scopesHeldBy,
  selectCredentialsOfPerson,
} from '../../store/access/credentials.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import { scopeExceeded } from '../refusals.ts'
import { findChangeable, personCredential } from './person-record.ts'

export const renewPerson = defineUseCase({
  name: 'renew-person',
  answersSecret: true,
  streams: () => [home],
  run: async (tx, { personId, by }: { personId: string; by: string }, { now, random }): Promise<PersonWithToken> => {
    const row = await findChangeable(tx, personId)
    const [tooMuch] = exceeding(scopesOf(row.role), await scopesHeldBy(tx, by))
    if (tooMuch) throw scopeExceeded(tooMuch)
    await endSignIns(tx, personId)
    const token = random.secret('person')
    await tx.write(insertCredential, personCredential(row, { id: random.uuid(), hash: hashSecret(token), by, now }))
    tx.append(home, { type: 'person-renewed', data: { personId, by } })
    return { ...personOf(row), token }
  },
})

/** Deletes a person's token, browsers and sign-in codes. Tokens they made stay. */
export async function endSignIns(tx: Tx, personId: string): Promise<void> {
  await tx.write(deleteSignInCodesOfPerson, { personId })
  for (const credential of await tx.all(selectCredentialsOfPerson, { personId }))
    if (!isToken(credential)) await tx.write(deleteCredential, { id: credential.id })
}
