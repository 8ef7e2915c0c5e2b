/**
 * Configures Fastify: limits, JSON parsing, errors, the listed routes, and the web page for other
 * paths.
 */

import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { mask } from '../../platform/log/mask.ts'
import { parseJson } from '../../platform/parse-json.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { ServerDoor } from '../door.ts'
import { checkCredentials } from './check-credential.ts'
import { maxHeaderBytes } from './gate.ts'
import { isPreflight, preflightHeaders } from './guest-pages.ts'
import type { HttpListener } from './http-listener.ts'
import { refusalsWhereNothingIs } from './nothing-there.ts'
import { isReserved } from './page.ts'
import { bodyLimit, maskedProblem, problemHeaders, refusalOf } from './problem-answer.ts'

/** No limit of its own: a URL is limited by its headers, an id by its schema. */
const maxParamLength = maxHeaderBytes
const maxLoggedPathLength = 200

export interface AppOptions {
  readonly deps: ServerDependencies
  readonly listener: HttpListener
  readonly doors: readonly ServerDoor[]
}

export function buildApp({ deps, listener, doors }: AppOptions): FastifyInstance {
  const { gate } = listener
  const app: FastifyInstance = fastify({
    logger: false,
    genReqId: (request) => gate.idOf(request),
    bodyLimit,
    routerOptions: { maxParamLength },
    exposeHeadRoutes: false,
    // Requests on open connections are still served; the store closes later.
    return503OnClosing: false,
    // The listener already accepts connections and passes on requests that its gate accepted.
    serverFactory: () => listener.server,
    // Schemas are zod's, so Fastify's compilers are not loaded.
    schemaController: {
      compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
    },
    clientErrorHandler: (error, socket) => gate.brokenHttp(error, socket),
    frameworkErrors: (error, request, reply) => void fail(error, request, reply),
  })

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = refusalOf(error, request.id, deps.logger, request.routeOptions.bodyLimit)
    deps.figures.refusedWith(refusal.code)
    const problem = maskedProblem(refusal)
    // The rest of a refused body is not read.
    if (!request.raw.complete) reply.header('connection', 'close')
    return reply.code(problem.status).headers(problemHeaders(refusal)).send(JSON.stringify(problem))
  }

  app.removeAllContentTypeParsers()
  // A browser names a type for nothing too: `navigator.sendBeacon(url, '')` (CH4).
  app.addContentTypeParser('*', (request, _, done) => {
    if (request.headers['content-length'] === '0') done(null, undefined)
    else done(new Refusal('unsupported_media_type'))
  })
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    try {
      done(null, body.length === 0 ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.setErrorHandler(fail)
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (!isPreflight(raw) || !gate.isGuest(raw)) return
    deps.credentials.countAnonymous(raw)
    return reply.code(204).headers(preflightHeaders(raw)).send()
  })
  checkCredentials(app, deps)
  app.addHook('onRequest', async ({ raw, routeOptions }) => {
    if (routeOptions.config.upload) gate.requireProgress(raw, listener.arrivalMs)
    else gate.requireArrival(raw, listener.arrivalMs)
  })
  const nothingThere = refusalsWhereNothingIs(app)
  for (const { http } of doors) http?.(app, deps)
  app.setNotFoundHandler((request) => {
    throw nothingThere(pathOf(request.url))
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    config: { rights: { scope: 'nobody', on: 'nobody' } },
    handler: async (request, reply) => {
      const path = pathOf(request.url)
      if (!isReserved(path)) {
        const answer = listener.page.answer(path, request.headers)
        if (!answer) throw new Refusal('not_found', refusalText('nothingHere'))
        return reply.code(answer.status).headers(answer.headers).send(answer.body)
      }
      await deps.credentials.find(request.raw)
      throw path === '/ws'
        ? new Refusal('invalid_request', refusalText('openAsSocket'))
        : nothingThere(path)
    },
  })
  app.addHook('onResponse', async (request, reply) => {
    const { url: route = 'unknown', config } = request.routeOptions
    if (!config.lasting)
      deps.figures.answered(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
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
    // Frequent calls of agents would hide other lines, such as the sign-in link of a start in a
    // terminal.
    const quiet = request.method === 'GET' || request.method === 'HEAD' || route === '/mcp'
    if (quiet && reply.statusCode < 400) deps.logger.debug(line, 'request completed')
    else deps.logger.info(line, 'request completed')
  })
  return app
}

const noCompiler = () => () => {
  throw new Error('A route brought a schema for Fastify; ours are in protocol/routes.ts')
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''
