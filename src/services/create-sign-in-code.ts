/** Makes the code of a one-time sign-in link for oneself (SE1). People only: a script's token must not become a person's cookie. */
import { because } from '../domain/because.ts'
import { signInCodeLifetimeMs } from '../domain/credential/lifetimes.ts'
import { ownerId } from '../domain/credential/who.ts'
import { Refusal } from '../domain/errors.ts'
import { later } from '../domain/instant.ts'
import { home } from '../domain/stream/name.ts'
import { hashSecret } from '../platform/secrets.ts'
import type { SignInCode } from '../protocol/people.ts'
import { selectPerson } from '../store/queries/people.ts'
import { insertSignInCode } from '../store/queries/sign-in-codes.ts'
import { defineUseCase } from '../store/store.ts'

export const createSignInCode = defineUseCase({
  name: 'create-sign-in-code',
  answersSecret: true,
  streams: () => [home],
  run: async (tx, { by }: { by: string }, { now, random }): Promise<Omit<SignInCode, 'link'>> => {
    if (by !== ownerId && !(await tx.first(selectPerson, { id: by }))) {
      throw new Refusal('missing_scope', because('personNeeded'), { scope: 'person' })
    }
    const code = random.secret('code')
    const expiresAt = later(now, signInCodeLifetimeMs)
    await tx.write(insertSignInCode, { hash: hashSecret(code), person_id: by, expires_at: expiresAt })
    return { code, expiresAt }
  },
})
