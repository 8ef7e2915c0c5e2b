/** Removes a person. Their token, browsers, sign-in codes and the tokens they made stop working at once (SE3). */
import { home } from '../../domain/stream-name.ts'
import {
  deleteCredentialsOfPerson,
  deletePersonRow,
  deleteSignInCodesOfPerson,
  isToken,
  selectCredentialsOfPerson,
} from '../../store/access/credentials.ts'
import { revokeOfGiver } from '../../store/approvals/allowances.ts'
import { defineUseCase } from '../../store/store.ts'
import { findChangeable } from './person-record.ts'

export const removePerson = defineUseCase({
  name: 'remove-person',
  streams: () => [home],
  run: async (tx, { personId, by }: { personId: string; by: string }, { now }): Promise<void> => {
    await findChangeable(tx, personId)
    const credentials = await tx.all(selectCredentialsOfPerson, { personId })
    await tx.write(deleteSignInCodesOfPerson, { personId })
    await tx.write(deleteCredentialsOfPerson, { personId })
    await tx.write(deletePersonRow, { id: personId })
    for (const giver of [personId, ...credentials.map(({ id }) => id)]) await tx.write(revokeOfGiver, { giver, now, by })
    tx.append(home, { type: 'person-removed', data: { personId, by } })
    for (const { id: tokenId } of credentials.filter(isToken)) tx.append(home, { type: 'token-revoked', data: { tokenId, by } })
  },
})
