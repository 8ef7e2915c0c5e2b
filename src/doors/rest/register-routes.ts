/**
 * The door for REST: registers the listed routes with Fastify. The server has checked credential
 * and scope before the body is read; then come input schemas and receipt. A route without a handler
 * does not compile.
 */

import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import type { Rights } from '../../domain/access/rights.ts'
import { Refusal } from '../../domain/errors.ts'
import { inField } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { checked } from '../../protocol/checked-input.ts'
import type { Route } from '../../protocol/route.ts'
import { type Routes, routes } from '../../protocol/routes.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { anonymousBodyLimit, bodyLimit } from '../../server/http/problem-answer.ts'
import type { Door } from '../door.ts'
import { accessHandlers } from './access.ts'
import { agentSessionHandlers } from './agent-sessions.ts'
import { agentHandlers, modelUsageHandlers, secretHandlers } from './agents.ts'
import { allowanceHandlers, approvalHandlers } from './approvals.ts'
import { channelHandlers } from './channels.ts'
import { userSessionHandlers } from './consoles.ts'
import {
  chatHandlers,
  conversationHandlers,
  noteHandlers,
  searchHandlers,
} from './conversations.ts'
import { type Call, type Handler, type HandlersOf, receiptOf, type Scopes } from './handler.ts'
import { hostHandlers } from './hosts.ts'
import { landingHandlers } from './landing.ts'
import { pastHandlers } from './past-sessions.ts'
import { processHandlers } from './processes.ts'
import { projectHandlers } from './projects.ts'
import { reviewHandlers } from './review.ts'
import { documentHandlers, eventHandlers, systemHandlers } from './system.ts'
import { approachHandlers, artifactHandlers, taskHandlers, workSessionHandlers } from './work.ts'
import { worktreeHandlers } from './worktrees.ts'

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
  ...pastHandlers,
  ...userSessionHandlers,
  ...worktreeHandlers,
  ...reviewHandlers,
  ...landingHandlers,
  ...hostHandlers,
  ...workSessionHandlers,
  ...approachHandlers,
  ...artifactHandlers,
  ...taskHandlers,
  ...approvalHandlers,
  ...allowanceHandlers,
  ...eventHandlers,
  ...systemHandlers,
  ...documentHandlers(() => scopes),
}

/** What each operation needs, and whose it is. */
export const routeRights: Readonly<Record<keyof Routes, Rights>> = Object.fromEntries(
  Object.entries(handlers).map(([operation, { does }]) => [operation, does]),
) as Record<keyof Routes, Rights>

export const scopes: Scopes = Object.fromEntries(
  Object.entries(routeRights).map(([operation, { scope }]) => [operation, scope]),
)

function registerRoutes(app: FastifyInstance, deps: ServerDependencies): void {
  const uploads: RouteOptions[] = []
  for (const [operation, route] of Object.entries<Route>(routes)) {
    // The types of handlers and routes were checked above by name.
    const handler = handlers[operation as keyof Routes] as unknown as Handler<Route>
    const options: RouteOptions = {
      // One route for both methods; Fastify would register HEAD separately.
      method: methodsOf(route),
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      bodyLimit: route.anonymous ? anonymousBodyLimit : (route.bodyLimit ?? bodyLimit),
      config: {
        rights: handler.does,
        lasting: isLasting(route),
        upload: route.upload !== undefined,
      },
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

const isLasting = ({ media }: Route): boolean => media === 'text/event-stream'
const methodsOf = (route: Route): HTTPMethods[] =>
  route.method === 'GET' && !isLasting(route) ? [route.method, 'HEAD'] : [route.method]

export const restDoor: Door = { http: registerRoutes }
