/** Signs a browser out; its cookie stops working at once. A token stays valid. */
import { home } from '../../domain/stream-name.ts'
import { deleteCredential, selectCredential } from '../../store/access/credentials.ts'
import { defineUseCase } from '../../store/store.ts'

export const signOut = defineUseCase({
  name: 'sign-out',
  streams: () => [home],
  run: async (tx, { credentialId }: { credentialId: string }): Promise<void> => {
    const credential = await tx.first(selectCredential, { id: credentialId })
    if (credential?.kind !== 'browser') return
    await tx.write(deleteCredential, { id: credentialId })
    tx.append(home, { type: 'signed-out', data: { credentialId } })
  },
})
