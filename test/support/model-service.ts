/**
 * A model's API on loopback in four forms, with different numbers for each request. What it does is
 * said with the request, in the header `x-do`: `cut` (the connection ends in the middle), `error`
 * and `moved` (repeat its key), `hang`, `split` (one byte in each piece), `whole` (no stream),
 * `large`, `paced` (each event by itself). Keeps what arrived, and what it sent.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Form = 'anthropic' | 'responses' | 'chat' | 'gemini'
export const forms: readonly Form[] = ['anthropic', 'responses', 'chat', 'gemini']

export interface Tokens {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
}

interface Arrived {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly model: string
  readonly tokens: Tokens
  /** Everything was handed to the connection. */
  sent: boolean
  /** The other side has gone before the end. */
  left: boolean
}

export const pathOf = (form: Form, model: string, isStream = true): string =>
  ({
    anthropic: '/v1/messages',
    responses: '/v1/responses',
    chat: '/v1/chat/completions',
    gemini: `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  })[form]

const formOf = (path: string): Form =>
  path.includes('/messages')
    ? 'anthropic'
    : path.includes('/responses')
      ? 'responses'
      : path.includes('/chat/')
        ? 'chat'
        : 'gemini'

/** With numbers, and with words that look like numbers to a careless reader. */
const trickyText = 'message_stop [DONE] "usage":{"input_tokens":9,"promptTokenCount":9} あ'

type Event = readonly [name: string | undefined, data: unknown]

function eventsOf(
  form: Form,
  model: string,
  { inputTokens, outputTokens, cachedTokens }: Tokens,
  words: number,
  text = trickyText,
): Event[] {
  const deltas = Array.from({ length: words }, (_, n) => `${n} ${text}`)
  switch (form) {
    case 'anthropic': {
      const usage = {
        input_tokens: inputTokens - cachedTokens,
        cache_read_input_tokens: cachedTokens,
        output_tokens: 1,
      }
      return [
        ['message_start', { type: 'message_start', message: { model, usage } }],
        ...deltas.map(
          (delta): Event => [
            'content_block_delta',
            { type: 'content_block_delta', delta: { text: delta } },
          ],
        ),
        [
          'message_delta',
          {
            type: 'message_delta',
            delta: { stop_reason: 'end_turn' },
            usage: { output_tokens: outputTokens },
          },
        ],
        ['message_stop', { type: 'message_stop' }],
      ]
    }
    case 'responses': {
      const usage = {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        input_tokens_details: { cached_tokens: cachedTokens },
      }
      return [
        ['response.created', { type: 'response.created', response: { model, usage: null } }],
        ...deltas.map(
          (delta): Event => [
            'response.output_text.delta',
            { type: 'response.output_text.delta', delta },
          ],
        ),
        ['response.completed', { type: 'response.completed', response: { model, usage } }],
      ]
    }
    case 'chat': {
      const details = { prompt_tokens_details: { cached_tokens: cachedTokens } }
      const usage = { prompt_tokens: inputTokens, completion_tokens: outputTokens, ...details }
      return [
        ...deltas.map(
          (content): Event => [
            undefined,
            { model, choices: [{ delta: { content } }], usage: null },
          ],
        ),
        [undefined, { model, choices: [], usage }],
      ]
    }
    case 'gemini': {
      const usage = (candidatesTokenCount: number) => ({
        promptTokenCount: inputTokens,
        candidatesTokenCount,
        thoughtsTokenCount: 0,
        cachedContentTokenCount: cachedTokens,
      })
      const chunk = (words: string, count: number, more = {}): Event => [
        undefined,
        {
          candidates: [{ content: { parts: [{ text: words }] }, ...more }],
          usageMetadata: usage(count),
          modelVersion: model,
        },
      ]
      return [
        ...deltas.map((delta, n) => chunk(delta, n)),
        chunk('', outputTokens, { finishReason: 'STOP' }),
      ]
    }
  }
}

function wholeOf(form: Form, model: string, tokens: Tokens): unknown {
  const last = eventsOf(form, model, tokens, 0).findLast(
    ([, data]) => JSON.stringify(data).includes('okens"') || form === 'gemini',
  )
  const { inputTokens, cachedTokens, outputTokens } = tokens
  const usage = {
    input_tokens: inputTokens - cachedTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  }
  if (form === 'anthropic') return { model, usage }
  const data = last?.[1] as Record<string, unknown> | undefined
  return form === 'responses' ? data?.['response'] : data
}

export interface ModelService {
  readonly url: string
  readonly arrived: readonly Arrived[]
  close(): Promise<void>
}

export async function startModelService({
  words = 5,
  port = 0,
  text = trickyText,
} = {}): Promise<ModelService> {
  const arrived: Arrived[] = []
  const server = createServer(async (asked, answer) => {
    let body = ''
    for await (const piece of asked) body += piece
    const path = asked.url ?? ''
    const form = formOf(path)
    const fields =
      body === ''
        ? {}
        : (JSON.parse(body) as {
            model?: string
            stream?: boolean
            stream_options?: { include_usage?: boolean }
          })
    const model = fields.model ?? /models\/([^/:?]+)/.exec(path)?.[1] ?? ''
    const n = arrived.length + 1
    const tokens = { inputTokens: 1000 + n, outputTokens: 10 + n, cachedTokens: n % 7 }
    const entry: Arrived = {
      path,
      headers: asked.headers,
      body,
      model,
      tokens,
      sent: false,
      left: false,
    }
    arrived.push(entry)
    answer.on('close', () => {
      entry.left = !answer.writableFinished
    })
    const doing = String(asked.headers['x-do'] ?? '')
    if (doing === 'hang') return
    if (doing === 'error' || doing === 'moved') {
      const key =
        asked.headers['x-api-key'] ?? asked.headers['x-goog-api-key'] ?? asked.headers.authorization
      return void answer
        .writeHead(doing === 'moved' ? 307 : 401, {
          'content-type': 'application/json',
          'x-key': String(key),
          location: 'http://evil.test/',
        })
        .end(JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }))
    }
    if (doing === 'whole' || path.endsWith(':generateContent')) {
      entry.sent = true
      return void answer
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(wholeOf(form, model, tokens)))
    }
    answer.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-request-id': `r${n}`,
    })
    const events = eventsOf(
      form,
      model,
      tokens,
      doing === 'large' || doing === 'paced' ? 2000 : words,
      text,
    )
      .filter(
        ([, data]) =>
          form !== 'chat' ||
          fields.stream_options?.include_usage ||
          !JSON.stringify(data).includes('"choices":[]'),
      )
      .map(
        ([name, data]) =>
          `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`,
      )
    if (form === 'chat') events.push('data: [DONE]\n\n')
    const sent = doing === 'cut' ? events.slice(0, -2) : events
    for (const event of sent) {
      const bytes = Buffer.from(event)
      for (const piece of doing === 'split'
        ? Array.from(bytes, (each) => Buffer.of(each))
        : [bytes]) {
        if (!answer.write(piece) && !answer.destroyed)
          await Promise.race([once(answer, 'drain'), once(answer, 'close')])
        if (doing === 'split' || doing === 'paced')
          await new Promise((resolve) => setImmediate(resolve))
      }
    }
    if (doing === 'cut') return void setImmediate(() => answer.destroy())
    entry.sent = true
    answer.end()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
