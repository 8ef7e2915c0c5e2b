/**
 * Gives a person a new token. The old one stops working at once, with every browser and sign-in link that came from it; the tokens
 * they made stay. Whoever has the new one is that person, so nobody gets it for somebody who may do more than they (SE3).
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
import { cannotGive } from '../refusals.ts'
import { findChangeable, personCredential } from './person-record.ts'

export const renewPerson = defineUseCase({
  name: 'renew-person',
  answersSecret: true,
  streams: () => [home],
  run: async (tx, { personId, by }: { personId: string; by: string }, { now, random }): Promise<PersonWithToken> => {
    const row = await findChangeable(tx, personId)
    const [tooMuch] = exceeding(scopesOf(row.role), await scopesHeldBy(tx, by))
    if (tooMuch) throw cannotGive(tooMuch)
    await endSignIns(tx, personId)
    const token = random.secret('person')
    await tx.write(insertCredential, personCredential(row, { id: random.uuid(), hash: hashSecret(token), by, now }))
    tx.append(home, { type: 'person-renewed', data: { personId, by } })
    return { ...personOf(row), token }
  },
})

/** Their token, their browsers and what they could sign in with; the tokens they made stay. */
export async function endSignIns(tx: Tx, personId: string): Promise<void> {
  await tx.write(deleteSignInCodesOfPerson, { personId })
  for (const credential of await tx.all(selectCredentialsOfPerson, { personId }))
    if (!isToken(credential)) await tx.write(deleteCredential, { id: credential.id })
}
