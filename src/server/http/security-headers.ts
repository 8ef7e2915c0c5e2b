/**
 * Security headers of every answer (SE6): the page loads only its own files, cannot be framed, and content types are not
 * guessed.
 */

import type { ServerResponse } from 'node:http'

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
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

export const securityHeaders = (https: boolean): Readonly<Record<string, string>> => (https ? overHttps : always)

const listed = { always: Object.entries(always), overHttps: Object.entries(overHttps) } as const

/** Sets all headers in one call. */
export function setSecurityHeaders(response: ServerResponse, https: boolean): void {
  for (const [name, value] of https ? listed.overHttps : listed.always) response.setHeader(name, value)
}
