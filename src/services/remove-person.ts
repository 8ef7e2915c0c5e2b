/** Removes a person: their token, their browsers, their sign-in codes and the tokens they made stop working at once (SE3). */
import { because } from '../domain/because.ts'
import { ownerId } from '../domain/credential/who.ts'
import { Refusal } from '../domain/errors.ts'
import { home } from '../domain/stream/name.ts'
import { revokeOfGiver } from '../store/queries/allowances.ts'
import { deleteCredentialsOfPerson, selectCredentialsOfPerson } from '../store/queries/credentials.ts'
import { deletePersonRow, selectPerson } from '../store/queries/people.ts'
import { deleteSignInCodesOfPerson } from '../store/queries/sign-in-codes.ts'
import { defineUseCase } from '../store/store.ts'

export const removePerson = defineUseCase({
  name: 'remove-person',
  streams: () => [home],
  run: async (tx, { personId, by }: { personId: string; by: string }, { now }): Promise<void> => {
    if (personId === ownerId) throw new Refusal('last_owner')
    if (!(await tx.first(selectPerson, { id: personId }))) throw new Refusal('not_found', because('noPerson'), { personId })
    const credentials = await tx.all(selectCredentialsOfPerson, { personId })
    await tx.write(deleteSignInCodesOfPerson, { personId })
    await tx.write(deleteCredentialsOfPerson, { personId })
    await tx.write(deletePersonRow, { id: personId })
    for (const giver of [personId, ...credentials.map(({ id }) => id)]) await tx.write(revokeOfGiver, { giver, now, by })
    tx.append(home, { type: 'person-removed', data: { personId, by } })
    for (const { id: tokenId, kind } of credentials) {
      if (kind === 'script' || kind === 'coordinator') tx.append(home, { type: 'token-revoked', data: { tokenId, by } })
    }
  },
})
