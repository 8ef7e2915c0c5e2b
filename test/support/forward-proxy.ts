/**
 * An HTTP proxy for a browser, so that a test can take its network away: open connections are cut,
 * and new ones are refused.
 */
import { createServer, request as httpRequest } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface ForwardProxy {
  readonly url: string
  /** Cuts every connection and refuses new ones for as long as this takes. */
  cutDuring(meanwhile: () => Promise<void>): Promise<void>
}

export async function openForwardProxy(): Promise<ForwardProxy> {
  let isCut = false
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming
    if (isCut) return void outgoing.destroy()
    const passed = httpRequest(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  const clients = new Set<Socket>()
  proxy.on('connection', (client) => {
    clients.add(client)
    client.on('close', () => clients.delete(client))
  })
  proxy.on('connect', ({ url = '' }, client: Socket) => {
    const { hostname, port } = new URL(`http://${url}`)
    if (isCut) return void client.destroy()
    const server = connect(Number(port), hostname, () =>
      client.write('HTTP/1.1 200 Connected\r\n\r\n'),
    )
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const)
      from
        .on('error', () => to.destroy())
        .on('close', () => to.destroy())
        .pipe(to)
  })
  const cutAll = (): void => {
    for (const client of clients) client.destroy()
  }
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    cutAll()
    proxy.close()
  })
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async cutDuring(meanwhile) {
      isCut = true
      cutAll()
      await meanwhile()
      isCut = false
    },
  }
}
