/**
 * Revokes a script's or coordinator's token; it stops working at once, and with it what was made with it and by that, unless that is to be
 * kept. People who were added with one are removed.
 */
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { home } from '../../domain/stream-name.ts'
import {
  type CredentialRow,
  deleteCredential,
  selectCredential,
  selectMadeWith,
  selectPerson,
} from '../../store/access/credentials.ts'
import { revokeOfGiver } from '../../store/approvals/allowances.ts'
import { type Context, defineUseCase, type Tx } from '../../store/store.ts'
import { removePerson } from './remove-person.ts'
import { endSignIns } from './renew-person.ts'

interface Revoking {
  readonly tokenId: string
  /** What becomes of what was made with it; it goes too when nothing is said. */
  readonly made?: 'revoke' | 'keep'
  readonly by: string
}

export const revokeToken = defineUseCase({
  name: 'revoke-token',
  streams: () => [home],
  run: async (tx, { tokenId, made = 'revoke', by }: Revoking, context): Promise<void> => {
    const credential = await tx.first(selectCredential, { id: tokenId })
    // People's tokens and browsers end with the person or by signing out; here they do not exist.
    const revocable = credential?.kind === 'script' || credential?.kind === 'coordinator'
    if (!revocable) throw new Refusal('not_found', refusalText('noToken'), { tokenId })
    await end(tx, credential, by, context, made === 'revoke')
  },
})

/** From the outside in: nothing that is left could make another meanwhile, behind the lock. */
async function end(
  tx: Tx,
  { id, kind, person_id, created_at }: CredentialRow,
  by: string,
  context: Context,
  withMade: boolean,
): Promise<void> {
  if (kind === 'person') return endPerson(tx, { personId: person_id, madeAt: created_at, by }, context)
  await tx.write(deleteCredential, { id })
  await tx.write(revokeOfGiver, { giver: id, now: context.now, by })
  tx.append(home, { type: 'token-revoked', data: { tokenId: id, by } })
  if (!withMade) return
  // One of them may have gone with a person meanwhile.
  for (const child of await tx.all(selectMadeWith, { id }))
    if (await tx.first(selectCredential, { id: child.id })) await end(tx, child, by, context, true)
}

interface MadePerson {
  readonly personId: string
  readonly madeAt: Instant
  readonly by: string
}

/** Who was added with it goes; who was there before, and was only given another token with it, loses that one. */
async function endPerson(tx: Tx, { personId, madeAt, by }: MadePerson, context: Context): Promise<void> {
  const person = await tx.first(selectPerson, { id: personId })
  if (!person) return
  if (person.created_at === madeAt) return removePerson.run(tx, { personId, by }, context)
  await endSignIns(tx, personId)
  tx.append(home, { type: 'person-renewed', data: { personId, by } })
}
