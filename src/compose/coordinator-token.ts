/**
 * The credential of the coordinator beside this server: made once for the data folder, kept in it for its owner's eyes only, and
 * made again when this store does not know it.
 */
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { personScopes } from '../domain/credential/scopes.ts'
import { ownerId, ownerName, type Who } from '../domain/credential/who.ts'
import { writeFileAtomic } from '../platform/atomic-file.ts'
import { coordinatorTokenFile } from '../platform/data-folder.ts'
import { hashSecret } from '../platform/secrets.ts'
import { createToken } from '../services/create-token.ts'
import { findCredential } from '../services/find-credential.ts'
import type { Store } from '../store/store.ts'

const owner: Who = {
  credentialId: ownerId,
  kind: 'person',
  id: ownerId,
  name: ownerName,
  role: 'owner',
  scopes: personScopes,
  expiresAt: null,
}

export async function keepCoordinatorToken(store: Store, data: string): Promise<void> {
  const file = coordinatorTokenFile(data)
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  const who = kept === '' ? undefined : await store.query(findCredential, { hash: hashSecret(kept) })
  if (who?.kind === 'coordinator') return
  const name = `Coordinator on ${hostname()}`.slice(0, 200)
  const { token } = await store.run(createToken, { kind: 'coordinator', name, by: owner })
  await writeFileAtomic(file, `${token}\n`)
}
