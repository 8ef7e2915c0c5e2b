/**
 * Creates a one-time sign-in code for the calling person (SE1). Scripts are refused, because their token must not become a
 * person's cookie.
 */

import { ownerId } from '../../domain/access/caller.ts'
import { signInCodeLifetimeMs } from '../../domain/access/lifetimes.ts'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { later } from '../../domain/instant.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets.ts'
import type { SignInCode } from '../../protocol/access/people.ts'
import { insertSignInCode, selectPerson } from '../../store/access/credentials.ts'
import { defineUseCase } from '../../store/store.ts'

export const createSignInCode = defineUseCase({
  name: 'create-sign-in-code',
  answersSecret: true,
  streams: () => [home],
  run: async (tx, { by }: { by: string }, { now, random }): Promise<Omit<SignInCode, 'link'>> => {
    if (by !== ownerId && !(await tx.first(selectPerson, { id: by }))) {
      throw new Refusal('missing_scope', refusalText('personNeeded'), { scope: 'person' })
    }
    const code = random.secret('code')
    const expiresAt = later(now, signInCodeLifetimeMs)
    await tx.write(insertSignInCode, { hash: hashSecret(code), person_id: by, expires_at: expiresAt })
    return { code, expiresAt }
  },
})
