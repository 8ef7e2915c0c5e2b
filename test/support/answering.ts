/**
 * A plain HTTP server on a port of its own that answers as the test says: what a server of ours
 * would only do when it is in trouble.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Answering {
  readonly url: string
  /** Every request that came, with its body. */
  readonly requests: {
    readonly method: string
    readonly url: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
}

export type AnswerWith = (request: IncomingMessage, response: ServerResponse, count: number) => void

export async function answering(answer: AnswerWith): Promise<Answering> {
  const requests: Answering['requests'] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      requests.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body,
      })
      answer(request, response, requests.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

export const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void => {
  const type = status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json'
  response.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(body))
}
