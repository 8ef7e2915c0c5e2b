/** An MCP endpoint as agents find it at `/mcp`, with one tool that reverses its text. It needs the bearer of the launch. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json as readJson } from 'node:stream/consumers'

export interface ToolDoor {
  readonly calls: readonly string[]
  readonly refused: number
  onRequest(request: IncomingMessage, response: ServerResponse): void
}

interface Call {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly text?: string } }
}

const tool = {
  name: 'turn_round',
  description: 'Gives the text back, backwards.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}

export function makeToolDoor(isKnown: (bearer: string) => boolean): ToolDoor {
  const calls: string[] = []
  const door = { calls, refused: 0, onRequest }
  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (request.url !== '/mcp' || request.method !== 'POST') return void response.writeHead(405).end()
    if (!isKnown(bearer)) {
      door.refused++
      return void response.writeHead(401).end()
    }
    void readJson(request).then((call) => {
      const { id, method, params } = call as Call
      if (id === undefined) return response.writeHead(202).end()
      const result = answer(method, params, calls)
      const body = result ? { result } : { error: { code: -32601, message: `no ${method}` } }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
    })
  }
  return door
}

function answer(method: string, params: Call['params'], calls: string[]): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: params?.protocolVersion ?? '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'holdfast', version: '0.0.0' },
    }
  if (method === 'ping') return {}
  if (method === 'tools/list') return { tools: [tool] }
  if (method !== 'tools/call') return undefined
  const text = params?.arguments?.text ?? ''
  calls.push(text)
  return { content: [{ type: 'text', text: `backwards: ${[...text].reverse().join('')}` }] }
}
