/**
 * Stands before a server for a client that cannot send a credential: adds the bearer, and passes
 * everything else on as it is.
 */
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** The address to use in the place of the server's. */
export async function openBearerProxy(serverUrl: string, token: string): Promise<string> {
  const { port: serverPort } = new URL(serverUrl)
  const proxy = createServer((request, response) => {
    const { port } = proxy.address() as AddressInfo
    // The proxy's own name becomes the server's; a foreign one stays foreign.
    const ours = (value: string): string => value.replace(new RegExp(`:${port}$`), `:${serverPort}`)
    const { host = '', origin } = request.headers
    const headers = {
      ...request.headers,
      host: ours(host),
      ...(origin === undefined ? {} : { origin: ours(origin) }),
    }
    const passed = httpRequest(
      {
        host: '127.0.0.1',
        port: serverPort,
        method: request.method,
        path: request.url,
        headers: { ...headers, authorization: `Bearer ${token}` },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
