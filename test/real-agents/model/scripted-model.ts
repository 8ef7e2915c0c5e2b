/**
 * A model on loopback that follows a script: enough of four interfaces of vendors for a real coding
 * agent to run a whole turn. It is also a proxy that refuses: whatever an agent wants of the
 * outside is written down and not given.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { anthropic } from './anthropic.ts'
import { chatCompletions } from './chat-completions.ts'
import type { Dialect, Sink, Used } from './dialect.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'
import { decide } from './script.ts'

const dialects: readonly Dialect[] = [anthropic, chatCompletions, gemini, responses]

export interface ScriptedModel {
  readonly url: string
  /**
   * How many messages each request held, in order: one that continues an old conversation holds
   * more.
   */
  readonly lengths: readonly number[]
  /** What the person was last heard to say in each request, in order. */
  readonly heard: readonly string[]
  /** Each request as it was sent, with the number of tools it offered. */
  readonly sent: readonly Sent[]
  /** What was wanted of the outside. */
  readonly refused: readonly string[]
  /** The keys that requests carried. */
  readonly keys: ReadonlySet<string>
  close(): Promise<void>
}

export interface Sent {
  readonly heard: string
  readonly text: string
  readonly tools: number
  /** The answer was written to its end. */
  readonly used: Used | undefined
}

export async function startModel(): Promise<ScriptedModel> {
  const noted: Noted = { lengths: [], heard: [], sent: [], refused: [], keys: new Set() }
  const server = createServer((request, response) => {
    answer(request, response, noted).catch(() => response.destroy())
  })
  server.on('connect', (request, socket) => {
    noted.refused.push(String(request.url))
    socket.on('error', () => {})
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...noted,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Noted {
  readonly lengths: number[]
  readonly heard: string[]
  readonly sent: Sent[]
  readonly refused: string[]
  readonly keys: Set<string>
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { lengths, heard, sent, refused, keys }: Noted,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const json = (body: object, status = 200): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(body))
  if (url.hostname !== '127.0.0.1') {
    refused.push(url.href)
    return json({ error: 'there is no outside' }, 403)
  }
  if (/count_?tokens$/i.test(url.pathname)) return json({ input_tokens: 10, totalTokens: 10 })
  const dialect = dialects.find(({ matches }) => matches(url.pathname))
  if (!dialect || request.method !== 'POST')
    return json({ error: { message: 'not scripted' } }, 404)
  const { authorization, 'x-api-key': anthropicKey, 'x-goog-api-key': googleKey } = request.headers
  keys.add(
    String(
      authorization?.replace('Bearer ', '') ??
        anthropicKey ??
        googleKey ??
        url.searchParams.get('key'),
    ),
  )
  const body = (await readJson(request)) as Record<string, unknown[] | undefined>
  lengths.push((body['messages'] ?? body['contents'] ?? body['input'] ?? []).length)
  const turn = dialect.read(body, url.pathname)
  heard.push(turn.user)
  const number = lengths.length
  const used = { input: 100 + number, output: 10 + (number % 7) }
  const note = {
    heard: turn.user,
    text: JSON.stringify(body),
    tools: turn.tools.length,
    used: undefined as Used | undefined,
  }
  sent.push(note)
  const text = (words: string): void => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (!response.destroyed) response.write(words)
  }
  const sink: Sink = {
    json,
    text,
    event: (data, name) =>
      text(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`),
    pause: async (ms) => {
      await sleep(ms)
      return !response.destroyed
    },
  }
  await dialect.write(sink, String(number).padStart(6, '0'), decide(turn), turn, used)
  if (!response.destroyed) note.used = used
  if (!response.writableEnded) response.end()
}
