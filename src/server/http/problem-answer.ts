/**
 * Converts errors to problem answers (HT2). Unexpected ones are logged and answered as `internal`,
 * without details (SE7).
 */

import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorCode, errorCatalogue, Refusal } from '../../domain/errors.ts'
import { notice } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Logger } from '../../platform/log/logger.ts'
import { mask, maskDeep } from '../../platform/log/mask.ts'
import { type Problem, problemOf } from '../../protocol/problem.ts'

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  'media-src data:',
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const always = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

const overHttps = { ...always, 'strict-transport-security': 'max-age=31536000' } as const

/**
 * Security headers of every answer (SE6): the page loads only its own files, is not framed, and
 * types are not guessed.
 */
const securityHeaders = (https: boolean): Readonly<Record<string, string>> =>
  https ? overHttps : always

const listed = { always: Object.entries(always), overHttps: Object.entries(overHttps) } as const

export function setSecurityHeaders(response: ServerResponse, https: boolean): void {
  for (const [name, value] of https ? listed.overHttps : listed.always)
    response.setHeader(name, value)
}

const problemMedia = 'application/problem+json; charset=utf-8'

/** Seconds for `Retry-After` where the refusal does not say. */
const retryAfter: Partial<Record<ErrorCode, number>> = {
  rate_limited: 60,
  too_many_connections: 10,
  busy: 1,
  shutting_down: 2,
  store_unavailable: 1,
}

export function maskedProblem(refusal: Refusal): Problem {
  const fields = maskDeep(refusal.fields) as Record<string, unknown>
  const maskedNotice = maskDeep(refusal.notice) as Refusal['notice']
  return problemOf({
    code: refusal.code,
    message: mask(refusal.message),
    fields,
    notice: maskedNotice,
  })
}

export function problemHeaders(refusal: Refusal): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': problemMedia,
    'cache-control': 'no-store',
  }
  if (errorCatalogue[refusal.code].status === 401) headers['www-authenticate'] = 'Bearer'
  const seconds = refusal.fields['retryAfterSeconds'] ?? retryAfter[refusal.code]
  if (seconds !== undefined) headers['retry-after'] = String(seconds)
  if (Array.isArray(refusal.fields['allow'])) headers['allow'] = refusal.fields['allow'].join(', ')
  return headers
}

/** Converts Fastify's errors to refusals; any other error is our own failure. */
export function refusalOf(
  error: unknown,
  requestId: string,
  logger: Logger,
  limit = bodyLimit,
): Refusal {
  if (error instanceof Refusal) return error
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('too_large', undefined, { limit })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal('unsupported_media_type')
  if (code === 'FST_ERR_BAD_URL') return new Refusal('invalid_request', refusalText('pathNoUrl'))
  if (code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new Refusal('invalid_request', refusalText('pathPartTooLong'))
  // Node's error for a client that disconnects in the middle of a body.
  const isGone = code === 'ECONNRESET' && (error as Error).message === 'aborted'
  if (isGone || (code?.startsWith('FST_ERR_CTP_') && statusCode === 400))
    return new Refusal('invalid_request', notice('bodyCut', {}, 'The body arrived incomplete'))
  logger.error({ requestId, err: error }, 'unexpected error')
  return new Refusal('internal', undefined, { requestId })
}

/** SE8: limit of JSON bodies; artifacts have their own. */
export const bodyLimit = 1024 * 1024
/** SE8: of a body that is read before anybody has signed in. */
export const anonymousBodyLimit = 16 * 1024

/** Answers a request that is refused before Fastify sees it. */
export function answerProblem(response: ServerResponse, refusal: Refusal): void {
  const problem = maskedProblem(refusal)
  response
    .writeHead(problem.status, { ...problemHeaders(refusal), connection: 'close' })
    .end(JSON.stringify(problem))
}

/** Answers on a socket without a request: malformed HTTP, refused upgrades. */
export function answerProblemOn(
  socket: Duplex,
  refusal: Refusal,
  requestId: string,
  https: boolean,
): void {
  if (!socket.writable) return void socket.destroy()
  const problem = maskedProblem(refusal)
  const body = JSON.stringify(problem)
  const headers = {
    ...securityHeaders(https),
    ...problemHeaders(refusal),
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
