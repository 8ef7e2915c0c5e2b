/**
 * The address that a request comes from (SE27): that of its connection. Behind a proxy that
 * `trusted_proxies` names it is the one that the proxy saw, the last of `X-Forwarded-For`; what its
 * client claims in front of it counts for nothing.
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

/** `proxies`: addresses and networks, such as 127.0.0.1 and 10.0.0.0/8. */
export function clientAddress(proxies: readonly string[]): ClientAddress {
  const trusted = new BlockList()
  for (const each of proxies) {
    const [address = '', bits] = each.split('/')
    if (bits === undefined) trusted.addAddress(address, familyOf(address))
    else trusted.addSubnet(address, Number(bits), familyOf(address))
  }
  const isTrusted = (address: string): boolean =>
    isIP(address) !== 0 && trusted.check(address, familyOf(address))
  return ({ headers, socket }) => {
    let address = plain(socket.remoteAddress ?? '')
    if (proxies.length === 0 || !isTrusted(address)) return address
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    for (const each of forwarded.reverse()) {
      const seen = plain(each.trim())
      if (isIP(seen) === 0) return address
      address = seen
      if (!isTrusted(address)) return address
    }
    return address
  }
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Without a port, and IPv4 as it is where it comes in IPv6. */
function plain(address: string): string {
  const inside =
    /^\[([^\]]*)\](:\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address
  return /^::ffff:([\d.]+)$/i.exec(inside)?.[1] ?? inside
}
