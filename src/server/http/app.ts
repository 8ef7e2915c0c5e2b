/** Fastify, set up: limits, JSON, errors, the routes of the list, the page for the rest. */

import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { mask } from '../../platform/mask.ts'
import { parseJson } from '../../platform/parse-json.ts'
import type { ServerDependencies } from '../dependencies.ts'
import { registerMcp } from '../mcp/mcp-endpoint.ts'
import { maxHeaderBytes } from './gate.ts'
import type { HttpListener } from './http-listener.ts'
import { isReserved } from './page.ts'
import { bodyLimit, maskedProblem, problemHeaders, refusalOf } from './problem-answer.ts'
import { nothingThere, registerRoutes } from './register-routes.ts'

/** As long as a URL can be: how long an id may be is said by its schema. */
const maxParamLength = maxHeaderBytes
const maxLoggedPathLength = 200

export interface AppOptions {
  readonly deps: ServerDependencies
  readonly listener: HttpListener
  readonly behindProxy: boolean
}

export function buildApp({ deps, listener, behindProxy }: AppOptions): FastifyInstance {
  const { gate } = listener
  const app: FastifyInstance = fastify({
    logger: false,
    genReqId: (request) => gate.idOf(request),
    // One hop: what the proxy itself saw, not what its client claims.
    trustProxy: behindProxy ? (_, hop) => hop < 1 : false,
    bodyLimit,
    routerOptions: { maxParamLength },
    exposeHeadRoutes: false,
    // Requests that still arrive on open connections are served; the store closes after us.
    return503OnClosing: false,
    // The front listens already and hands over what has passed its gate.
    serverFactory: () => listener.server,
    // Our schemas are zod's: the compilers Fastify would load are never asked.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    clientErrorHandler: (error, socket) => gate.brokenHttp(error, socket),
    frameworkErrors: (error, request, reply) => void fail(error, request, reply),
  })

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = refusalOf(error, request.id, deps.logger, request.routeOptions.bodyLimit)
    deps.figures.refusedWith(refusal.code)
    const problem = maskedProblem(refusal)
    // The rest of a body that was refused unread is not waited for.
    if (!request.raw.complete) reply.header('connection', 'close')
    return reply.code(problem.status).headers(problemHeaders(refusal)).send(JSON.stringify(problem))
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    try {
      done(null, body.length === 0 ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.setErrorHandler(fail)
  registerRoutes(app, deps)
  app.addHook('onRequest', async ({ raw, routeOptions }) => {
    if (routeOptions.config.upload) gate.mustKeepComing(raw, listener.arrivalMs)
    else gate.mustArrive(raw, listener.arrivalMs)
  })
  registerMcp(app, deps)
  app.setNotFoundHandler((request) => {
    throw nothingThere(pathOf(request.url))
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    config: { scope: 'nobody' },
    handler: async (request, reply) => {
      const path = pathOf(request.url)
      if (!isReserved(path)) {
        const answer = listener.page.answer(path, request.headers)
        if (!answer) throw new Refusal('not_found', refusalText('nothingHere'))
        return reply.code(answer.status).headers(answer.headers).send(answer.body)
      }
      await deps.credentials.of(request.raw)
      throw path === '/ws' ? new Refusal('invalid_request', 'Open /ws as a WebSocket') : nothingThere(path)
    },
  })
  app.addHook('onResponse', async (request, reply) => {
    const { url: route = 'unknown', config } = request.routeOptions
    if (!config.lasting) deps.figures.answered(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
    const ms = Math.round(reply.elapsedTime * 10) / 10
    const path = mask(pathOf(request.url).slice(0, maxLoggedPathLength))
    const line = {
      requestId: request.id,
      method: request.method,
      path,
      status: reply.statusCode,
      ms,
      by: request.presented?.who.id,
    }
    // What agents call all day would bury the rest, the sign-in link of a start at a terminal first.
    const quiet = request.method === 'GET' || request.method === 'HEAD' || route === '/mcp'
    if (quiet && reply.statusCode < 400) deps.logger.debug(line, 'Answered')
    else deps.logger.info(line, 'Answered')
  })
  return app
}

const noCompiler = () => () => {
  throw new Error('A route brought a schema for Fastify; ours are in protocol/routes.ts')
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''
