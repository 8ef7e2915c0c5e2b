/** Fastify, set up: limits, JSON, errors, the routes of the list, the page for the rest. */
import { createServer as createHttpServer, type Server } from 'node:http'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { Refusal } from '../../domain/errors.ts'
import { mask } from '../../platform/mask.ts'
import type { Doors } from '../doors.ts'
import { type Gate, maxHeaderBytes } from './gate.ts'
import { parseJson } from './json-body.ts'
import { Page } from './page.ts'
import { bodyLimit, maskedProblem, problemHeaders, refusalOf } from './problem-answer.ts'
import { nothingThere, registerRoutes } from './register-routes.ts'

const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const keepAliveTimeoutMs = 72_000
const timeoutCheckMs = 5000
const maxOpenSockets = 20_000
/** As long as a URL can be: how long an id may be is said by its schema. */
const maxParamLength = maxHeaderBytes
const maxLoggedPathLength = 200

export interface AppParts {
  readonly doors: Doors
  readonly gate: Gate
  readonly behindProxy: boolean
  readonly pageFolder: string | null
}

export function buildApp({ doors, gate, behindProxy, pageFolder }: AppParts): FastifyInstance {
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
    serverFactory: (handle) => httpServer(gate, handle),
    clientErrorHandler: (error, socket) => gate.brokenHttp(error, socket),
    frameworkErrors: (error, request, reply) => void fail(error, request, reply),
  })

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = refusalOf(error, request.id, doors.logger)
    doors.figures.refusedWith(refusal.code)
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
  registerRoutes(app, doors)
  app.setNotFoundHandler((request) => {
    throw nothingThere(pathOf(request.url))
  })
  const page = new Page(pageFolder)
  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    config: { scope: 'nobody' },
    handler: async (request, reply) => {
      const path = pathOf(request.url)
      if (!isReserved(path)) return page.answer(path, request, reply)
      await doors.credentials.of(request.raw)
      throw path === '/ws' ? new Refusal('invalid_request', 'Open /ws as a WebSocket') : nothingThere(path)
    },
  })
  app.addHook('onResponse', async (request, reply) => {
    const { url: route = 'unknown', config } = request.routeOptions
    if (!config.lasting) doors.figures.answered(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
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
    const quiet = request.method === 'GET' || request.method === 'HEAD'
    if (quiet && reply.statusCode < 400) doors.logger.debug(line, 'Answered')
    else doors.logger.info(line, 'Answered')
    // What was in flight when the stop came leaves its connection open and idle.
    if (doors.closing) setImmediate(() => app.server.closeIdleConnections())
  })
  return app
}

function httpServer(gate: Gate, handle: (request: never, response: never) => void): Server {
  const options = {
    maxHeaderSize: maxHeaderBytes,
    // A missing Host gets our own answer, like a foreign one.
    requireHostHeader: false,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    noDelay: true,
    // Other upgrades are ordinary requests to us.
    shouldUpgradeCallback: (request: { headers: { upgrade?: string } }) => request.headers.upgrade?.toLowerCase() === 'websocket',
  }
  const server = createHttpServer(options)
  server.maxConnections = maxOpenSockets
  const onRequest = (request: FastifyRequest['raw'], response: FastifyReply['raw']): void => {
    if (gate.pass(request, response)) handle(request as never, response as never)
  }
  server.on('request', onRequest)
  server.on('checkExpectation', onRequest)
  return server
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''

/** Never the page's: an unknown path there is said to be unknown, to those who may know. */
const isReserved = (path: string): boolean => /^\/(?:api|ws|mcp|metrics|healthz|readyz)(?:\/|$)/i.test(path)
