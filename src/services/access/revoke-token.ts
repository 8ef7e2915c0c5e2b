/** Revokes a script's or coordinator's token and, unless kept, what was made with it. People added with it are removed. */

import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import { type CredentialRow, selectMadeWith } from '../../store/access/credentials.ts'
import { revokeOfGiver } from '../../store/approvals/allowances.ts'
import { type Context, defineUseCase, type Tx } from '../../store/store.ts'
import { endSignIns, removePerson } from './change-person.ts'

interface RevokeInput {
  readonly tokenId: string
  /** What happens to credentials made with it. Revoked by default. */
  readonly made?: 'revoke' | 'keep'
  readonly by: string
}

export const revokeToken = defineUseCase('revoke-token', {
  streams: () => [home],
  run: async (tx, { tokenId, made = 'revoke', by }: RevokeInput, context): Promise<void> => {
    const credential = await tx.row('credentials', { id: tokenId })
    // People's tokens and browsers end with the person or a sign-out; here they are not found.
    const revocable = credential?.kind === 'script' || credential?.kind === 'coordinator'
    if (!revocable) throw new Refusal('not_found', refusalText('noToken'), { tokenId })
    await endCredential(tx, credential, by, context, made === 'revoke')
  },
})

/** Ends a credential first and then what was made with it, so that nothing new can be made meanwhile. */
async function endCredential(
  tx: Tx,
  { id, kind, person_id, created_at }: CredentialRow,
  by: string,
  context: Context,
  withMade: boolean,
): Promise<void> {
  if (kind === 'person') return endPerson(tx, { personId: person_id, madeAt: created_at, by }, context)
  await tx.delete('credentials', { id })
  await tx.write(revokeOfGiver, { giver: id, now: context.now, by })
  tx.append(home, { type: 'token-revoked', data: { tokenId: id, by } })
  if (!withMade) return
  // A token may have been removed with a person.
  for (const child of await tx.all(selectMadeWith, { id }))
    if (await tx.row('credentials', { id: child.id })) await endCredential(tx, child, by, context, true)
}

interface MadePerson {
  readonly personId: string
  readonly madeAt: Instant
  readonly by: string
}

/** Removes a person added with the token. One who existed before only loses the token made with it. */
async function endPerson(tx: Tx, { personId, madeAt, by }: MadePerson, context: Context): Promise<void> {
  const person = await tx.row('people', { id: personId })
  if (!person) return
  if (person.created_at === madeAt) return removePerson.run(tx, { personId, by }, context)
  await endSignIns(tx, personId)
  tx.append(home, { type: 'person-renewed', data: { personId, by } })
}
