/** REST handlers for signing in and out, people and tokens. */
import type * as z from 'zod'
import { endOfMaker, type Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { epochMs } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { Login } from '../../protocol/access/people.ts'
import type { accessRoutes } from '../../protocol/access/routes.ts'
import { signInLink } from '../../protocol/access/sign-in-link.ts'
import {
  addPerson,
  changePersonRole,
  createToken,
  removePerson,
  renewPerson,
  revokeToken,
} from '../../services/access/change-access.ts'
import { listPeople, listTokens } from '../../services/access/queries.ts'
import { createSignInCode, signIn, signOut } from '../../services/access/sign-in.ts'
import { type HandlersOf, query, run } from '../http/handler.ts'
import type { Credentials } from '../security/credentials.ts'

export const accessHandlers: HandlersOf<typeof accessRoutes> = {
  login: async ({ body, deps, request, reply }) => {
    const { store, clock, credentials } = deps
    deps.loginLimit.attempt(request.ip)
    const signedIn = await store.run(signIn, toSignIn(body, credentials))
    const seconds = Math.floor((epochMs(signedIn.expiresAt) - clock.now()) / 1000)
    reply.header('set-cookie', credentials.cookieFor(signedIn.cookie, seconds))
  },
  getLogin: async ({ deps, request }) => ({ signedIn: await isSignedIn(deps.credentials.of(request.raw)) }),
  logout: async ({ deps, who, presented, reply }) => {
    if (presented.by !== 'cookie') return
    await deps.store.run(signOut, { credentialId: who.credentialId })
    reply.header('set-cookie', deps.credentials.noCookie)
  },
  getMe: async ({ who }) => ({ id: who.id, name: who.name, kind: who.kind, role: who.role, scopes: [...who.scopes] }),
  createSignInCode: async ({ deps, who }) => {
    const made = await deps.store.run(createSignInCode, { by: who.id })
    return { ...made, link: deps.publicUrl && signInLink(deps.publicUrl, made.code) }
  },
  listPeople: query(listPeople, (call) => call.query),
  addPerson: run(addPerson, ({ body, who }) => ({ ...body, by: lasting(who) })),
  changePerson: run(changePersonRole, ({ params, body, who }) => ({ ...params, ...body, by: lasting(who) })),
  renewPerson: run(renewPerson, ({ params, who }) => ({ ...params, by: lasting(who) })),
  removePerson: run(removePerson, ({ params, who }) => ({ ...params, by: who.id })),
  listTokens: query(listTokens, (call) => call.query),
  createToken: run(createToken, ({ body, who }) => ({ ...body, by: who })),
  revokeToken: run(revokeToken, ({ params, query: { made }, who }) => ({ ...params, made, by: who.id })),
}

const isSignedIn = (presented: Promise<unknown>): Promise<boolean> =>
  presented.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false
      throw error
    },
  )

/** Refuses a caller whose credential expires: people do not expire, so such a caller may not add or change them (SE3). */
function lasting(who: Who): string {
  if (endOfMaker(who)) throw new Refusal('missing_scope', refusalText('peopleStay'), { scope: 'person' })
  return who.id
}

/** Resolves the sign-in request. The owner's token is not in the store, so it is checked here. */
function toSignIn(body: z.output<typeof Login>, credentials: Credentials) {
  if ('code' in body) return { codeHash: hashSecret(body.code) }
  const tokenHash = hashSecret(body.token)
  return credentials.isOwner(tokenHash) ? ({ ownerVerified: true } as const) : { tokenHash }
}
