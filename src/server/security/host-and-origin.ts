/**
 * Exact lists of accepted Host and Origin headers (SE2), checked on every request and upgrade before anything else. Stops DNS
 * rebinding and cross-site forms. Health and readiness are also answered under a node's own address, metrics under the hosts the
 * operator lists.
 */
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../../domain/errors.ts'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']
const defaultPort = { 'http:': 80, 'https:': 443 } as const

export interface HostAndOrigin {
  /** Throws a Refusal for a foreign Host or Origin. */
  check(request: IncomingMessage): void
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Needs the actual port. `metricsHosts` are in lower case with their port. */
export function hostAndOrigin(port: number, publicUrl: string | null, metricsHosts: readonly string[] = []): HostAndOrigin {
  const forMetrics = new Set(metricsHosts)
  const hosts = new Set<string>()
  const origins = new Set<string>()
  const allow = (scheme: keyof typeof defaultPort, name: string, at: number): void => {
    hosts.add(`${name}:${at}`)
    origins.add(new URL(`${scheme}//${name}:${at}`).origin)
    if (at === defaultPort[scheme]) hosts.add(name)
  }
  for (const name of loopbackNames) allow('http:', name, port)
  if (publicUrl) {
    const url = new URL(publicUrl)
    const scheme = url.protocol === 'https:' ? 'https:' : 'http:'
    allow(scheme, url.hostname, Number(url.port) || defaultPort[scheme])
  }
  return {
    check(request) {
      const host = onlyHost(request)?.toLowerCase()
      const path = request.method === 'GET' ? request.url?.split('?', 1)[0] : undefined
      const isOurs = host !== undefined && (hosts.has(host) || (path === '/metrics' && forMetrics.has(host)))
      if (!isOurs && !probes.has(path ?? '')) throw new Refusal('forbidden_host')
      // A target in absolute form names its own host, which would override the header (RFC 9112, 3.2.2).
      if (!request.url?.startsWith('/')) throw new Refusal('forbidden_host', 'The request target must be a path')
      const { origin } = request.headers
      if (origin !== undefined && !origins.has(origin)) throw new Refusal('forbidden_origin')
    },
  }
}

/** Returns the only Host header. Node shows the first of several; several are refused. */
function onlyHost({ rawHeaders }: IncomingMessage): string | undefined {
  let found: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'host') continue
    if (found !== undefined) return undefined
    found = rawHeaders[index + 1]
  }
  return found
}
