/** Signs browsers in (SE1) and out. */
import { ownerId } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { SignInCode } from '../../protocol/access/people.ts'
import { findValidCredential } from '../../store/access/credentials.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'

const minute = 60 * 1000
const day = 24 * 60 * minute

/** Lifetimes of sign-in codes and browser sign-ins (SE1). */
const signInCodeLifetimeMs = 10 * minute
const browserLifetimeMs = 30 * day

type SignInProof = { codeHash: string } | { tokenHash: string } | { ownerVerified: true }
type SignedIn = { cookie: string; expiresAt: Instant; personId: string }

/**
 * Signs a browser in (SE1) with a one-time code, a person's token, or a verified owner token, and returns a cookie. All
 * failures give the same answer, so that trying reveals nothing.
 */
export const signIn = defineUseCase('sign-in', {
  answersSecret: true,
  streams: () => [home],
  run: async (tx, presented: SignInProof, { now, random }): Promise<SignedIn> => {
    const personId = await personOfCredential(tx, presented, now)
    if (!personId) throw new Refusal('authentication_failed')
    const cookie = random.secret('browser')
    const expiresAt = later(now, browserLifetimeMs)
    await tx.insert('credentials', {
      id: random.uuid(),
      kind: 'browser',
      person_id: personId,
      name: 'browser',
      hash: hashSecret(cookie),
      scopes: '[]',
      created_by: personId,
      created_at: now,
      expires_at: expiresAt,
    })
    return { cookie, expiresAt, personId }
  },
})

async function personOfCredential(tx: Tx, presented: SignInProof, now: Instant): Promise<string | undefined> {
  if ('ownerVerified' in presented) return ownerId
  if ('tokenHash' in presented) return personWithToken(tx, presented.tokenHash, now)
  const code = await tx.row('sign_in_codes', { hash: presented.codeHash })
  if (!code || code.expires_at <= now) return undefined
  await tx.delete('sign_in_codes', { hash: code.hash })
  const stillHere = code.person_id === ownerId || (await tx.row('people', { id: code.person_id }))
  return stillHere ? code.person_id : undefined
}

/** Accepts a person's own token only. A cookie could renew itself for ever, and a script is no person. */
async function personWithToken(tx: Tx, hash: string, now: Instant): Promise<string | undefined> {
  const who = await findValidCredential(tx, hash, now)
  const credential = who && (await tx.row('credentials', { id: who.credentialId }))
  return credential?.kind === 'person' ? credential.person_id : undefined
}

/** Signs a browser out; its cookie stops working at once. A token stays valid. */
export const signOut = defineUseCase('sign-out', {
  streams: () => [home],
  run: async (tx, { credentialId }: { credentialId: string }): Promise<void> => {
    const credential = await tx.row('credentials', { id: credentialId })
    if (credential?.kind !== 'browser') return
    await tx.delete('credentials', { id: credentialId })
    tx.append(home, { type: 'signed-out', data: { credentialId } })
  },
})

/** Creates a one-time sign-in code for the calling person (SE1); for a script it would turn a token into a person's cookie. */
export const createSignInCode = defineUseCase('create-sign-in-code', {
  answersSecret: true,
  streams: () => [home],
  run: async (tx, { by }: { by: string }, { now, random }): Promise<Omit<SignInCode, 'link'>> => {
    if (by !== ownerId && !(await tx.row('people', { id: by }))) {
      throw new Refusal('missing_scope', refusalText('personNeeded'), { scope: 'person' })
    }
    const code = random.secret('code')
    const expiresAt = later(now, signInCodeLifetimeMs)
    await tx.insert('sign_in_codes', { hash: hashSecret(code), person_id: by, expires_at: expiresAt })
    return { code, expiresAt }
  },
})
