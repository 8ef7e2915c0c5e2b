/**
 * Registers the listed routes with Fastify. Each gets the same checks in the same order: credential, scope (before the body is
 * read), input schemas, receipt. A route without a handler does not compile.
 */

import type { FastifyInstance, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { allows } from '../../domain/access/scopes.ts'
import { viewerOf } from '../../domain/access/visibility.ts'
import { Refusal } from '../../domain/errors.ts'
import { inField } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { checked } from '../../protocol/checked-input.ts'
import type { Route } from '../../protocol/route.ts'
import { type Routes, routes } from '../../protocol/routes.ts'
import { checkConversation } from '../../services/access/check-access.ts'
import { accessHandlers } from '../access/routes.ts'
import { agentSessionHandlers } from '../agent-sessions/routes.ts'
import { agentHandlers, modelUsageHandlers, secretHandlers } from '../agents/routes.ts'
import { allowanceHandlers, approvalHandlers } from '../approvals/routes.ts'
import { channelHandlers } from '../channels/routes.ts'
import { userSessionHandlers } from '../consoles/routes.ts'
import {
  chatHandlers,
  conversationHandlers,
  noteHandlers,
  searchHandlers,
} from '../conversations/routes.ts'
import type { ServerDependencies } from '../dependencies.ts'
import { processHandlers } from '../processes/routes.ts'
import { projectHandlers } from '../projects/routes.ts'
import type { Presented } from '../security/credentials.ts'
import { eventHandlers, systemHandlers } from '../system/routes.ts'
import {
  approachHandlers,
  artifactHandlers,
  taskHandlers,
  workSessionHandlers,
} from '../work/routes.ts'
import { worktreeHandlers } from '../worktrees/routes.ts'
import { type Call, type Handler, type HandlersOf, receiptOf } from './handler.ts'
import { anonymousBodyLimit, bodyLimit } from './problem-answer.ts'

const handlers: HandlersOf<Routes> = {
  ...accessHandlers,
  ...projectHandlers,
  ...agentHandlers,
  ...secretHandlers,
  ...modelUsageHandlers,
  ...agentSessionHandlers,
  ...processHandlers,
  ...chatHandlers,
  ...channelHandlers,
  ...conversationHandlers,
  ...searchHandlers,
  ...noteHandlers,
  ...userSessionHandlers,
  ...worktreeHandlers,
  ...workSessionHandlers,
  ...approachHandlers,
  ...artifactHandlers,
  ...taskHandlers,
  ...approvalHandlers,
  ...allowanceHandlers,
  ...eventHandlers,
  ...systemHandlers,
}

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

export function registerRoutes(app: FastifyInstance, deps: ServerDependencies): void {
  app.decorateRequest('presented', null)
  app.addHook('onRequest', async (request) => {
    await identify(request, deps)
  })
  const uploads: RouteOptions[] = []
  for (const [operation, route] of Object.entries<Route>(routes)) {
    const options: RouteOptions = {
      // One route for both methods; Fastify would register HEAD separately.
      method: methodsOf(route),
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      bodyLimit: route.scope === 'nobody' ? anonymousBodyLimit : (route.bodyLimit ?? bodyLimit),
      config: { scope: route.scope, lasting: isLasting(route), upload: route.upload !== undefined },
      handler: async (request, reply) => {
        const { presented } = request
        const call = {
          params: route.params && checked(route.params, withoutNul(request.params)),
          query: route.query && checked(route.query, withoutNul(request.query)),
          body: route.body && checked(route.body, request.body),
          who: presented?.who,
          presented,
          // The content of an upload is known only to its handler.
          receipt: route.upload ? undefined : receiptOf(request, operation, presented),
          deps,
          request,
          reply,
        }
        await requireConversation(route, call.params, presented, deps)
        // The types of handlers and routes were checked above by name.
        const handler = handlers[operation as keyof Routes] as unknown as Handler<Route>
        const answer: unknown = await handler(call as unknown as Call<Route>)
        if (reply.sent) return reply
        if (!route.alsoStatus) reply.code(route.status)
        reply.header('cache-control', 'no-store')
        if (route.status === 204) return reply.send()
        if (route.media) return reply.type(route.media).send(answer)
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer))
      },
    }
    if (route.upload) uploads.push(options)
    else app.route(options)
  }
  app.register(async (inner) => takeAnyBytes(inner, uploads))
}

/** Refuses a conversation the caller may not see as `not_found`. */
async function requireConversation(
  route: Route,
  params: unknown,
  presented: Presented | null,
  deps: ServerDependencies,
): Promise<void> {
  if (!route.path.startsWith('/api/conversations/{key}') || !presented) return
  const { key } = params as { key: string }
  await deps.store.query(checkConversation, { viewer: viewerOf(presented.who), key })
}

/** Passes upload bodies on as streams, whatever their content type. */
function takeAnyBytes(app: FastifyInstance, uploads: readonly RouteOptions[]): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, payload, done) => done(null, payload))
  for (const options of uploads) app.route(options)
}

/** Refuses NUL in parameters: PostgreSQL cannot store it. */
function withoutNul(values: unknown): unknown {
  for (const [field, value] of Object.entries(values ?? {}))
    if (String(value).includes('\u0000'))
      throw new Refusal('invalid_request', inField(field, refusalText('noNul')), { field })
  return values
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

const isLasting = ({ media }: Route): boolean => media === 'text/event-stream'
const methodsOf = (route: Route): HTTPMethods[] =>
  route.method === 'GET' && !isLasting(route) ? [route.method, 'HEAD'] : [route.method]

const patterns = Object.values<Route>(routes).map((route) => ({
  methods: methodsOf(route),
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** Returns the refusal for an unknown path or method. */
export function nothingThere(path: string): Refusal {
  const allow = patterns
    .filter(({ pattern }) => pattern.test(path))
    .flatMap(({ methods }) => methods)
  if (allow.length > 0) return new Refusal('method_not_allowed', undefined, { allow })
  return new Refusal('not_found', refusalText('nothingHere'))
}
