/** Revokes a script's or coordinator's token; it stops working at once. */
import { because } from '../domain/because.ts'
import { Refusal } from '../domain/errors.ts'
import { home } from '../domain/stream/name.ts'
import { revokeOfGiver } from '../store/queries/allowances.ts'
import { deleteCredential, selectCredential } from '../store/queries/credentials.ts'
import { defineUseCase } from '../store/store.ts'

export const revokeToken = defineUseCase({
  name: 'revoke-token',
  streams: () => [home],
  run: async (tx, { tokenId, by }: { tokenId: string; by: string }, { now }): Promise<void> => {
    const credential = await tx.first(selectCredential, { id: tokenId })
    // People's tokens and browsers end with the person or by signing out; here they do not exist.
    const revocable = credential?.kind === 'script' || credential?.kind === 'coordinator'
    if (!revocable) throw new Refusal('not_found', because('noToken'), { tokenId })
    await tx.write(deleteCredential, { id: tokenId })
    await tx.write(revokeOfGiver, { giver: tokenId, now, by })
    tx.append(home, { type: 'token-revoked', data: { tokenId, by } })
  },
})
