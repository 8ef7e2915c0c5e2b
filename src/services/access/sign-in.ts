/** Signs browsers in (SE1) and out. */
import { ownerId } from '../../domain/access/caller.ts'
import { endOfSignIn, type SignInRules } from '../../domain/access/sign-in-rules.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { SignInCode } from '../../protocol/access/people.ts'
import { findValidCredential, selectBrowsers } from '../../store/access/credentials.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import { addPass, takePass } from './passes.ts'

const signInCodeLifetimeMs = 10 * 60_000

type SignInProof = { codeHash: string } | { tokenHash: string } | { ownerVerified: true }
interface SignInInput {
  readonly proof: SignInProof
  readonly rules: SignInRules
  /** What the browser says of itself, and where it signs in from. */
  readonly name: string
  readonly address: string
}
type SignedIn = { cookie: string; expiresAt: Instant; personId: string; deviceId: string }

/**
 * Signs a browser in (SE1) with a one-time code, a person's token, or a verified owner token, and
 * returns a cookie. All failures give the same answer, so that trying reveals nothing.
 */
export const signIn = defineUseCase('sign-in', {
  scope: 'nobody',
  on: 'nobody',
  answersSecret: true,
  streams: () => [home],
  run: async (
    tx,
    { proof, rules, name, address }: SignInInput,
    { now, random },
  ): Promise<SignedIn> => {
    const personId = await personOfCredential(tx, proof, now)
    if (!personId) throw new Refusal('authentication_failed')
    const cookie = random.secret('browser')
    const expiresAt = endOfSignIn(rules, now, now)
    const deviceId = random.uuid()
    await tx.insert('credentials', {
      id: deviceId,
      kind: 'browser',
      person_id: personId,
      name,
      address,
      used_at: now,
      hash: hashSecret(cookie),
      scopes: '[]',
      created_by: personId,
      created_at: now,
      expires_at: expiresAt,
    })
    return { cookie, expiresAt, personId, deviceId }
  },
})

async function personOfCredential(
  tx: Tx,
  presented: SignInProof,
  now: Instant,
): Promise<string | undefined> {
  if ('ownerVerified' in presented) return ownerId
  if ('tokenHash' in presented) return personWithToken(tx, presented.tokenHash, now)
  const code = await takePass(tx, 'code', presented.codeHash, now)
  if (!code) return undefined
  const stillHere = code.holder_id === ownerId || (await tx.row('people', { id: code.holder_id }))
  const isGood = code.made_with === ownerId || (await findValidCredential(tx, code.made_with, now))
  return stillHere && isGood ? code.holder_id : undefined
}

/**
 * Accepts a person's own token only. A cookie could renew itself for ever, and a script is no
 * person.
 */
async function personWithToken(tx: Tx, hash: string, now: Instant): Promise<string | undefined> {
  const who = await findValidCredential(tx, hash, now)
  const credential = who && (await tx.row('credentials', { id: who.credentialId }))
  return credential?.kind === 'person' ? credential.person_id : undefined
}

interface SignOutInput {
  readonly credentialId: string
  /** Whose it must be; anybody's when left out. */
  readonly personId?: string
}

/**
 * Signs a browser out; its cookie stops working at once, and what was made with it. A token stays
 * valid. Returns whether there was one.
 */
export const signOut = defineUseCase('sign-out', {
  scope: 'anybody',
  on: 'caller',
  streams: () => [home],
  run: async (tx, { credentialId, personId }: SignOutInput): Promise<boolean> => {
    const credential = await tx.row('credentials', { id: credentialId })
    if (
      credential?.kind !== 'browser' ||
      (personId !== undefined && credential.person_id !== personId)
    )
      return false
    await tx.delete('credentials', { id: credentialId })
    await tx.delete('passes', { made_with: credential.hash })
    tx.append(home, { type: 'signed-out', data: { credentialId } })
    return true
  },
})

/** A browser is used: it stays signed in for longer (SE1). */
export const useBrowser = defineUseCase('use-browser', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (
    tx,
    { credentialId, rules }: { credentialId: string; rules: SignInRules },
    { now },
  ): Promise<void> => {
    const browser = await tx.row('credentials', { id: credentialId })
    if (browser?.kind !== 'browser') return
    await tx.update('credentials', {
      id: credentialId,
      used_at: now,
      expires_at: endOfSignIn(rules, browser.created_at, now),
    })
  },
})

/** Applies rules that have become stricter to the browsers that are signed in; at a start. */
export const shortenSignIns = defineUseCase('shorten-sign-ins', {
  scope: 'server',
  on: 'nobody',
  streams: () => [home],
  run: async (tx, rules: SignInRules): Promise<void> => {
    for (const { id, created_at, used_at, expires_at } of await tx.all(selectBrowsers, {})) {
      const end = endOfSignIn(rules, created_at, used_at ?? created_at)
      if (expires_at === null || end < expires_at)
        await tx.update('credentials', { id, expires_at: end })
    }
  },
})

/**
 * Creates a one-time sign-in code for the calling person (SE1); for a script it would turn a token
 * into a person's cookie.
 */
export const createSignInCode = defineUseCase('create-sign-in-code', {
  scope: 'anybody',
  on: 'caller',
  answersSecret: true,
  streams: () => [home],
  run: async (
    tx,
    { by, madeWith = ownerId }: { by: string; madeWith?: string },
    context,
  ): Promise<Omit<SignInCode, 'link'>> => {
    if (by !== ownerId && !(await tx.row('people', { id: by }))) {
      throw new Refusal('missing_scope', refusalText('personNeeded'), { scope: 'person' })
    }
    const pass = {
      kind: 'code',
      scope: 'login',
      holderId: by,
      madeWith,
      lifetimeMs: signInCodeLifetimeMs,
    } as const
    const { secret: code, expiresAt } = await addPass(tx, pass, context)
    return { code, expiresAt }
  },
})
