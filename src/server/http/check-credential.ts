/** Checks credential and scope of every request, before its body is read. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Rights } from '../../domain/access/rights.ts'
import { requireScope } from '../../services/access/require-scope.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { Presented } from '../security/credentials.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** null on routes that ask for no credential. */
    presented: Presented | null
  }
  interface FastifyContextConfig {
    /** Any credential is required when left out. */
    readonly rights?: Rights
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
  const { rights } = request.routeOptions.config
  if (rights?.scope === 'nobody') return credentials.count(request.raw)
  request.presented = await credentials.of(request.raw)
  if (rights) requireScope(request.presented.who, rights.scope)
}
