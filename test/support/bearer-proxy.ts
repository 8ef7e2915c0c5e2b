/**
 * Stands before a server for a client that cannot send a credential: adds the bearer, and passes
 * everything else on as it is.
 */
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface CuttableProxy {
  /** The address to use in the place of the server's. */
  readonly url: string
  /** Ends every connection, and refuses new ones until they are let through again. */
  cut(): void
  mend(): void
}

/** The address to use in the place of the server's. */
export const openBearerProxy = async (serverUrl: string, token: string): Promise<string> =>
  (await openCuttableProxy(serverUrl, token)).url

export async function openCuttableProxy(serverUrl: string, token: string): Promise<CuttableProxy> {
  const { port: serverPort } = new URL(serverUrl)
  let isCut = false
  const proxy = createServer((request, response) => {
    if (isCut) return void response.destroy()
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
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      proxy.closeAllConnections()
    },
    mend() {
      isCut = false
    },
  }
}
