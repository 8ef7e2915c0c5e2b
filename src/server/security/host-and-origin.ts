/**
 * Which Host and Origin headers are ours (SE2): exact lists, checked on every request and upgrade before anything else is
 * looked at. A page of somebody else's that reaches us through DNS rebinding, or a form on it, ends here. What machines ask a node for by its own
 * address is let through: that it lives and is ready, which is no secret and changes nothing, and its figures where the operator names the address.
 */
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../../domain/errors.ts'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']
const defaultPort = { 'http:': 80, 'https:': 443 } as const

export interface HostAndOrigin {
  /** Throws a Refusal when the request did not mean us; says nothing about who sent it. */
  check(request: IncomingMessage): void
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Known only once the port is. `metricsHosts` are in lower case, with their port. */
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
      // In absolute form the target names a host of its own, which would win over the header (RFC 9112, 3.2.2).
      if (!request.url?.startsWith('/')) throw new Refusal('forbidden_host', 'The request target must be a path')
      const { origin } = request.headers
      if (origin !== undefined && !origins.has(origin)) throw new Refusal('forbidden_origin')
    },
  }
}

/** The one Host header; Node shows the first of several, and two are a trick. */
function onlyHost({ rawHeaders }: IncomingMessage): string | undefined {
  let found: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'host') continue
    if (found !== undefined) return undefined
    found = rawHeaders[index + 1]
  }
  return found
}
