/** Checks credential and scope of every request, before its body is read. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows } from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Route } from '../../protocol/route.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { Presented } from '../security/credentials.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** null on routes that ask for no credential. */
    presented: Presented | null
  }
  interface FastifyContextConfig {
    /** A credential is required when left out. */
    readonly scope?: Route['scope']
    /** The response stays open, so its duration is not measured. */
    readonly lasting?: boolean
    /** The body is an upload and may take long. */
    readonly upload?: boolean
  }
}

export function checkCredentials(app: FastifyInstance, deps: ServerDependencies): void {
  app.decorateRequest('presented', null)
  app.addHook('onRequest', async (request) => {
    await identify(request, deps)
  })
}

async function identify(
  request: FastifyRequest,
  { credentials }: ServerDependencies,
): Promise<void> {
  const { scope = 'anybody' } = request.routeOptions.config
  if (scope === 'nobody') return credentials.count(request.raw)
  request.presented = await credentials.of(request.raw)
  if (scope === 'anybody' || allows(request.presented.who.scopes, scope)) return
  throw new Refusal('missing_scope', refusalText('needsScope', { scope }), { scope })
}
