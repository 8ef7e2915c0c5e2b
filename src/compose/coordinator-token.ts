/**
 * The credential of the coordinator beside this server: made once for the data folder, kept in it for its owner's eyes only, and
 * made again when this store does not know it, or no longer.
 */
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { personScopes } from '../domain/credential/scopes.ts'
import { ownerId, ownerName, type Who } from '../domain/credential/who.ts'
import { home } from '../domain/stream/name.ts'
import { writeFileAtomic } from '../platform/atomic-file.ts'
import { coordinatorTokenFile } from '../platform/data-folder.ts'
import type { Logger } from '../platform/logger.ts'
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

interface Kept {
  readonly id: string
  readonly hash: string
}

async function findToken(store: Store, hash: string): Promise<Kept | undefined> {
  const who = await store.query(findCredential, { hash })
  return who?.kind === 'coordinator' ? { id: who.credentialId, hash } : undefined
}

async function makeToken(store: Store, data: string, insteadOf?: string): Promise<Kept> {
  const name = `Coordinator on ${hostname()}`.slice(0, 200)
  const { id, token } = await store.run(createToken, { kind: 'coordinator', name, by: owner, insteadOf })
  await writeFileAtomic(coordinatorTokenFile(data), `${token}\n`)
  return { id, hash: hashSecret(token) }
}

/**
 * Resolves when it is there; gives what ends the watch over it. One that is revoked meanwhile is made anew under the same id, so that
 * the coordinator is known again as who it is, with all that it runs: what was revoked is the secret, not the machine.
 */
export async function keepCoordinatorToken(store: Store, data: string, logger: Logger): Promise<() => void> {
  const kept = (await readFile(coordinatorTokenFile(data), 'utf8').catch(() => '')).trim()
  let current = (await findToken(store, hashSecret(kept))) ?? (await makeToken(store, data))
  let isLooking = false
  let again = false
  const look = async (): Promise<void> => {
    again = true
    if (isLooking) return
    isLooking = true
    while (again) {
      again = false
      if (await findToken(store, current.hash)) continue
      current = await makeToken(store, data, current.id)
      logger.warn({ coordinatorId: current.id }, 'the token of the coordinator beside this server was revoked; it has a new one')
    }
    isLooking = false
  }
  return store.doorbell.on(home, () => {
    look().catch((error: unknown) => {
      isLooking = false
      logger.warn({ error: String(error) }, 'the token of the coordinator beside this server could not be looked at')
    })
  })
}
