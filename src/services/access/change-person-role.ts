/**
 * Changes a person's role. Nobody can give more than they have. Tokens that exceed the new role are revoked, and so are
 * allowances if the person may no longer approve (SE3).
 */
import { exceeding, type PersonScope, type Role, scopesOf } from '../../domain/access/scopes.ts'
import { home } from '../../domain/stream-name.ts'
import type { PersonWithNewRole } from '../../protocol/access/people.ts'
import {
  type CredentialRow,
  deleteCredential,
  isToken,
  personOf,
  scopesHeldBy,
  selectCredentialsOfPerson,
  updateRole,
} from '../../store/access/credentials.ts'
import { revokeOfGiver } from '../../store/approvals/allowances.ts'
import { defineUseCase } from '../../store/store.ts'
import { scopeExceeded } from '../refusals.ts'
import { findChangeable } from './person-record.ts'

interface Change {
  readonly personId: string
  readonly role: Role
  readonly by: string
}

export const changePersonRole = defineUseCase({
  name: 'change-person-role',
  streams: () => [home],
  run: async (tx, { personId, role, by }: Change, { now }): Promise<PersonWithNewRole> => {
    const before = await findChangeable(tx, personId)
    const [tooMuch] = exceeding(scopesOf(role), await scopesHeldBy(tx, by))
    if (tooMuch) throw scopeExceeded(tooMuch)
    const person = personOf({ ...before, role })
    if (before.role === role) return { ...person, revokedTokens: [] }
    await tx.write(updateRole, { id: personId, role })
    tx.append(home, { type: 'person-changed', data: { person, by } })
    const tokens = (await tx.all(selectCredentialsOfPerson, { personId })).filter(isToken)
    const revoked = tokens.filter((token) => allowsMore(token, role))
    for (const { id: tokenId } of revoked) {
      await tx.write(deleteCredential, { id: tokenId })
      tx.append(home, { type: 'token-revoked', data: { tokenId, by } })
    }
    const givers = scopesOf(role).includes('approve') ? revoked : [{ id: personId }, ...tokens]
    for (const { id: giver } of givers) await tx.write(revokeOfGiver, { giver, now, by })
    return { ...person, revokedTokens: revoked.map(({ name }) => name) }
  },
})

/** Coordinator tokens need `manage`. */
function allowsMore({ kind, scopes }: Pick<CredentialRow, 'kind' | 'scopes'>, role: Role): boolean {
  const held = scopesOf(role)
  return kind === 'coordinator' ? !held.includes('manage') : exceeding(JSON.parse(scopes) as PersonScope[], held).length > 0
}
