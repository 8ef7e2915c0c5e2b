/** REST handlers for signing in and out, people and tokens. */
import type { FastifyRequest } from 'fastify'
import type * as z from 'zod'
import { endOfMaker, nobody, ownerId, type Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { Login } from '../../protocol/access/people.ts'
import type { accessRoutes } from '../../protocol/access/routes.ts'
import { signInLink } from '../../protocol/access/sign-in-link.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import type { Credentials, Presented } from '../../server/security/credentials.ts'
import {
  addPerson,
  changePersonRole,
  createToken,
  removePerson,
  renewPerson,
  revokeToken,
} from '../../services/access/change-access.ts'
import { createTicket } from '../../services/access/passes.ts'
import { listDevices, listPeople, listTokens } from '../../services/access/queries.ts'
import { createSignInCode, signIn, signOut } from '../../services/access/sign-in.ts'
import { browserName } from './browser-name.ts'
import { allowed, by, type HandlersOf, query, run } from './handler.ts'

export const accessHandlers: HandlersOf<typeof accessRoutes> = {
  login: by(signIn, async ({ body, deps, request, reply }) => {
    const { app, credentials, signInRules: rules, logger, failedSignIns } = deps
    const address = deps.addressOf(request.raw)
    const seen = { requestId: request.id, address }
    deps.loginLimit.attempt(address)
    const attempt = {
      proof: toSignIn(body, credentials),
      rules,
      name: browserName(request.headers['user-agent']),
      address,
    }
    try {
      const { cookie, personId: account, deviceId: device } = await app.run(signIn, attempt, nobody)
      reply.header(
        'set-cookie',
        credentials.cookieFor(request.raw, cookie, Math.floor(rules.mostMs / 1000)),
      )
      logger.info({ ...seen, account, device }, 'signed in')
    } catch (error) {
      if (error instanceof Refusal)
        failedSignIns.info({ ...seen, code: error.code }, 'sign-in failed')
      throw error
    }
  }),
  getLogin: allowed({ scope: 'nobody', on: 'caller' }, async ({ deps, request }) => ({
    signedIn: await isSignedIn(deps.credentials.find(request.raw)),
  })),
  logout: by(signOut, async ({ deps, who, presented, request, reply }) => {
    if (presented.by !== 'cookie') return
    await endDevice(deps, request, { who, deviceId: who.credentialId })
    reply.header('set-cookie', deps.credentials.noCookie(request.raw))
  }),
  getMe: allowed({ scope: 'anybody', on: 'caller' }, async ({ who }) => ({
    id: who.id,
    name: who.name,
    kind: who.kind,
    role: who.role,
    scopes: [...who.scopes],
  })),
  createTicket: run(createTicket, ({ who, presented }) => ({
    holderId: who.id,
    madeWith: makerOf(presented),
  })),
  listDevices: query(listDevices, ({ query: page, who }) => ({ ...page, who })),
  removeDevice: by(signOut, async ({ deps, params: { deviceId }, who, request, reply }) => {
    if (who.kind !== 'person')
      throw new Refusal('missing_scope', refusalText('personNeeded'), { scope: 'person' })
    if (!(await endDevice(deps, request, { who, deviceId })))
      throw new Refusal('not_found', refusalText('noDevice'), { deviceId })
    if (deviceId === who.credentialId)
      reply.header('set-cookie', deps.credentials.noCookie(request.raw))
  }),
  createSignInCode: by(createSignInCode, async ({ deps, who, presented }) => {
    const made = await deps.app.run(
      createSignInCode,
      { by: who.id, madeWith: makerOf(presented) },
      who,
    )
    return { ...made, link: deps.publicUrl && signInLink(deps.publicUrl, made.code) }
  }),
  listPeople: query(listPeople, (call) => call.query),
  addPerson: run(addPerson, ({ body, who }) => ({ ...body, by: lasting(who) })),
  changePerson: run(changePersonRole, ({ params, body, who }) => ({
    ...params,
    ...body,
    by: lasting(who),
  })),
  renewPerson: run(renewPerson, ({ params, who }) => ({ ...params, by: lasting(who) })),
  removePerson: run(removePerson, ({ params, who }) => ({ ...params, by: who.id })),
  listTokens: query(listTokens, (call) => call.query),
  createToken: run(createToken, ({ body, who }) => ({ ...body, by: who })),
  revokeToken: run(revokeToken, ({ params, query: { made }, who }) => ({
    ...params,
    made,
    by: who.id,
  })),
}

/** What a pass is bound to; the owner's token is not in the store. */
const makerOf = ({ who, hash }: Presented): string =>
  who.credentialId === ownerId ? ownerId : hash

async function endDevice(
  { app, addressOf, logger }: ServerDependencies,
  request: FastifyRequest,
  { who, deviceId }: { readonly who: Who; readonly deviceId: string },
): Promise<boolean> {
  const isEnded = await app.run(signOut, { credentialId: deviceId, personId: who.id }, who)
  const seen = {
    requestId: request.id,
    address: addressOf(request.raw),
    account: who.id,
    device: deviceId,
  }
  if (isEnded) logger.info(seen, 'signed out')
  return isEnded
}

const isSignedIn = (presented: Promise<unknown>): Promise<boolean> =>
  presented.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false
      throw error
    },
  )

/**
 * Refuses a caller whose credential expires: people do not expire, so such a caller may not add or
 * change them (SE3).
 */
function lasting(who: Who): string {
  if (endOfMaker(who))
    throw new Refusal('missing_scope', refusalText('peopleStay'), { scope: 'person' })
  return who.id
}

/** Resolves the sign-in request. The owner's token is not in the store, so it is checked here. */
function toSignIn(body: z.output<typeof Login>, credentials: Credentials) {
  if ('code' in body) return { codeHash: hashSecret(body.code) }
  const tokenHash = hashSecret(body.token)
  return credentials.isOwner(tokenHash) ? ({ ownerVerified: true } as const) : { tokenHash }
}
