/**
 * A certificate for `localhost` that signs itself, as a company's own authority would, made anew
 * for each test; and a proxy that ends TLS with it in front of a server, as the deploying docs ask
 * for. Only as much DER as that takes.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'
import { onTestFinished } from 'vitest'

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const ecdsaWithSha256 = sequence(der(0x06, hex('2a8648ce3d040302')))
const utcTime = (ms: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))
const dayMs = 24 * 60 * 60_000

function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(
    der(0x31, sequence(der(0x06, hex('550403')), der(0x0c, Buffer.from('localhost')))),
  )
  const isAuthority = sequence(der(0x06, hex('551d13')), der(0x04, sequence(der(0x01, hex('ff')))))
  const alsoCalled = sequence(
    der(0x06, hex('551d11')),
    der(0x04, sequence(der(0x82, Buffer.from('localhost')))),
  )
  const now = Date.now()
  const content = sequence(
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, Buffer.concat([hex('01'), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(now - dayMs), utcTime(now + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isAuthority, alsoCalled)),
  )
  const signature = der(0x03, hex('00'), sign('sha256', content, privateKey))
  const base64 = sequence(content, ecdsaWithSha256, signature).toString('base64')
  const cert = `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  return { key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), cert }
}

export interface TlsProxy {
  /** `https://localhost:PORT` */
  readonly url: string
  /** Who wants to trust it needs this (NODE_EXTRA_CA_CERTS). */
  readonly cert: string
  /** Where everything goes from now on. */
  leadTo(url: string): void
}

export async function startTlsProxy(): Promise<TlsProxy> {
  const { key, cert } = selfSigned()
  const open = new Set<Socket>()
  let port = 0
  const proxy = createServer({ key, cert }, (client) => {
    const behind = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => proxy.close(resolve))
  })
  return {
    url: `https://localhost:${(proxy.address() as AddressInfo).port}`,
    cert,
    leadTo: (url) => {
      port = Number(new URL(url).port)
    },
  }
}
