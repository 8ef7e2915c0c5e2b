/**
 * Which hosts a sandbox may reach (SB5). Named hosts are compared as text before they are looked
 * up, so that a strict sandbox leaks nothing through DNS; addresses are compared after, and the
 * address that was compared is the one connected to.
 */
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

export interface NetworkRules {
  /** Only named hosts. */
  readonly strict: boolean
  /** `name`, `name:port` or `*.name`. */
  readonly hosts: readonly string[]
}

export interface HostPort {
  readonly host: string
  readonly port: number
}

/** Lower case, without brackets and the final dot. */
const hostOf = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')

/**
 * `name:port`, `[address]:port`, or either without a port, in the one form that a URL has for it.
 * Undefined when it is none.
 */
export function hostPortOf(typed: string, fallback?: number): HostPort | undefined {
  const [, host = '', port] =
    /^(\[[^\]]+\]|[^:/?#@\\]+|[0-9A-Fa-f:]+)(?::(\d{1,5}))?$/.exec(typed) ?? []
  const number = port === undefined ? fallback : Number(port)
  // An address can be written in many ways: `127.1`, `0x7f000001`, `::ffff:7f00:1`.
  const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}`)
  return url && number !== undefined && number > 0 && number < 65536
    ? { host: hostOf(url.hostname), port: number }
    : undefined
}

/**
 * How a host is named in the rules: with this port (or by an address of another machine), without
 * one, or not.
 */
export function namedAs(
  { hosts }: NetworkRules,
  { host, port }: HostPort,
): 'port' | 'name' | undefined {
  const found = hosts.map((rule) => {
    const ported =
      /:\d+$/.test(rule) && (rule.startsWith('[') || rule.indexOf(':') === rule.lastIndexOf(':'))
    const name = hostOf(ported ? rule.slice(0, rule.lastIndexOf(':')) : rule)
    if (ported && Number(rule.slice(rule.lastIndexOf(':') + 1)) !== port) return undefined
    const matches = name.startsWith('*.')
      ? host.endsWith(name.slice(1))
      : canonical(host) === canonical(name)
    if (!matches) return undefined
    return ported || (isIP(name) && !isThisMachine(name)) ? 'port' : 'name'
  })
  return found.includes('port') ? 'port' : found.find((each) => each !== undefined)
}

const canonical = (name: string): string =>
  name === 'localhost' ? '127.0.0.1' : (hostPortOf(name, 1)?.host ?? name)

/**
 * Never reached unless named with a port: this machine, what only its link reaches (cloud
 * metadata), and no address at all.
 */
const nowhere = new BlockList()
const nowhere4 = { '127.0.0.0': 8, '0.0.0.0': 8, '169.254.0.0': 16, '224.0.0.0': 3 }
const nowhere6 = { '::1': 128, '::': 128, 'fe80::': 10, 'ff00::': 8, 'fd00:ec2::': 32 }
for (const [net, bits] of Object.entries(nowhere4)) nowhere.addSubnet(net, bits)
for (const [net, bits] of Object.entries(nowhere6)) nowhere.addSubnet(net, bits, 'ipv6')

/** By what it says itself: a name is looked up elsewhere. */
export function isThisMachine(host: string): boolean {
  if (/(^|\.)localhost$/.test(host)) return true
  const plain = host.replace(/%.*$/, '')
  const [address, kind] = [isIP(plain) > 0, isIP(plain) === 6 ? 'ipv6' : 'ipv4'] as const
  const own = new BlockList()
  for (const each of Object.values(networkInterfaces()).flatMap((found) => found ?? []))
    own.addAddress(each.address, each.family === 'IPv6' ? 'ipv6' : 'ipv4')
  // These compare an IPv4 address also where it is written as one of IPv6.
  return address && (nowhere.check(plain, kind) || own.check(plain, kind))
}

/**
 * Why a host is not reached: it is this machine, whose ports are allowed one by one; nobody knows
 * its name; it is not allowed.
 */
export type Unreached = 'this-machine' | 'unknown-name' | 'not-allowed'

/** The address to connect to, or why there is none. */
export async function allowedAddress(
  target: HostPort,
  named: 'port' | 'name' | undefined,
): Promise<{ readonly address: string } | { readonly why: Unreached }> {
  const found = isIP(target.host)
    ? [{ address: target.host }]
    : await lookup(target.host, { all: true }).catch(() => [])
  const [first] = found
  if (!first) return { why: 'unknown-name' }
  if (named !== 'port' && found.some(({ address }) => isThisMachine(address)))
    return { why: 'this-machine' }
  return first
}
