/**
 * What pages of the origins of `allowed_origins` need to read answers in a browser (SE26): CORS,
 * for exactly the origin that asks.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const requestHeaders = [
  ...[
    'accept',
    'authorization',
    'content-type',
    'idempotency-key',
    'if-none-match',
    'last-event-id',
    'range',
  ],
  ...['mcp-protocol-version', 'mcp-session-id'],
].join(', ')
/** Those that are not readable anyway. */
const exposed = [
  'content-disposition',
  'etag',
  'mcp-session-id',
  'retry-after',
  'www-authenticate',
  'x-request-id',
].join(', ')
/** For how long a browser need not ask again. */
const rememberedSeconds = 600

export function letGuestRead({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', headers.origin ?? '')
  response.setHeader('access-control-allow-credentials', 'true')
  response.setHeader('access-control-expose-headers', exposed)
  response.setHeader('cross-origin-resource-policy', 'cross-origin')
  response.setHeader('vary', 'Origin')
}

/** Whether a browser asks ahead what such a page may send. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

export const preflightHeaders = ({ headers }: IncomingMessage): Record<string, string> => ({
  'access-control-allow-methods': methods,
  'access-control-allow-headers': requestHeaders,
  'access-control-max-age': String(rememberedSeconds),
  // A page of the internet that asks a server on this machine or in this network.
  ...(headers['access-control-request-private-network'] === 'true' && {
    'access-control-allow-private-network': 'true',
  }),
})
