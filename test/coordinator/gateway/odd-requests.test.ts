/**
 * The gateway with services that repeat the key, and with requests that try not to be counted (GW2,
 * GW4).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { Gateway } from '../../../src/coordinator/gateway/gateway.ts'
import type { NewFact } from '../../../src/coordinator/spool.ts'
import { masked } from '../../../src/platform/log/mask.ts'
import { fc, property } from '../../support/property.ts'

const key = 'sk-real~0123456789?>planted-s'

/** A gateway to a service that answers as `answer` says. */
async function open(
  answer: (asked: IncomingMessage, answer: ServerResponse, body: Buffer) => void | Promise<void>,
) {
  const arrived: string[] = []
  const service = createServer(async (asked, response) => {
    const body = await buffer(asked)
    arrived.push(body.toString())
    await answer(asked, response, body)
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const facts: NewFact[] = []
  const gateway = new Gateway({ env: {}, report: (fact) => facts.push(fact) })
  const way = await gateway.open({
    launchId: 'one',
    launchToken: 'hf_launch_one',
    key,
    turn: () => 't1',
    refuse: () => undefined,
    upstream: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  })
  onTestFinished(() => {
    gateway.close()
    service.closeAllConnections()
    service.close()
  })
  const ask = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(`${way.url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': way.token, ...headers },
      redirect: 'manual',
      body: new Uint8Array(Buffer.from(body)),
    })
  return { ask, arrived, facts }
}

/** The key as it is, and in base64 behind one to three other bytes, in both alphabets. */
const forms = [
  key,
  JSON.stringify(key).slice(1, -1),
  ...['', 'x', 'xy', 'xyz'].flatMap((front) =>
    (['base64', 'base64url'] as const).map((form) => Buffer.from(`${front}${key}`).toString(form)),
  ),
]
/**
 * No form of it can be read in the text: nor in what any run of letters in it stands for in base64.
 */
const tellsKey = (text: string): boolean =>
  text.includes(key) ||
  (text.match(/[\w+/-]{20,}/g) ?? []).some((run) =>
    [0, 1, 2, 3].some((from) => Buffer.from(run.slice(from), 'base64').includes(key.slice(3, -3))),
  )

property.prop(
  [
    fc.array(
      fc.oneof(
        fc.constantFrom(...forms),
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.constantFrom('sk-', 's', 'c2st'),
      ),
    ),
    fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
    fc.constantFrom(200, 206, 301, 400, 401, 500),
    fc.constantFrom('application/json', 'text/event-stream', 'text/plain'),
  ],
  { numRuns: 60 },
)(
  '[GW2] whatever a service repeats, and in whichever pieces it comes, the key is not in it and the rest is whole',
  async (parts, sizes, status, type) => {
    // A word between, so that what is masked is known.
    const whole = Buffer.from(parts.join(' | '))
    const { ask } = await open(async (_, answer) => {
      answer.writeHead(status, { 'content-type': type, location: '/elsewhere' })
      let at = 0
      for (let n = 0; at < whole.length; n++) {
        const size = sizes[n % sizes.length] ?? 1
        answer.write(whole.subarray(at, at + size))
        at += size
        await nextTurn()
      }
      answer.end()
    })
    const came = await ask('/v1/messages', '{"model":"m"}')
    const text = Buffer.from(await came.arrayBuffer())
    expect(came.status).toBe(status)
    expect(tellsKey(text.toString())).toBe(false)
    const others = parts.filter((part) => !forms.includes(part)).map((part) => Buffer.from(part))
    for (const other of others) expect(text.includes(other)).toBe(true)
    expect(text.toString().split(masked)).toHaveLength(
      parts.filter((part) => forms.includes(part)).length + 1,
    )
  },
)

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const)(
  '[GW2] [GW4] an answer that comes in %s though nobody asked for it is read, masked and counted',
  async (name, pack) => {
    const { ask, facts } = await open((_, answer) => {
      const text = JSON.stringify({ note: key, usage: { input_tokens: 7, output_tokens: 3 } })
      answer
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': name })
        .end(pack(text))
    })
    const came = await ask('/v1/messages', '{"model":"m"}')
    expect([came.headers.get('content-encoding'), await came.json()]).toMatchObject([
      null,
      { note: masked },
    ])
    expect(facts.at(-1)).toMatchObject({
      type: 'model-answered',
      inputTokens: 7,
      outputTokens: 3,
      finished: true,
    })
  },
)

test('[GW2] a header that repeats the key in base64 is left out', async () => {
  const { ask } = await open((_, answer) => {
    answer
      .writeHead(200, {
        'x-echo': Buffer.from(`x-api-key: ${key}`).toString('base64url'),
        'x-other': 'kept',
      })
      .end('{}')
  })
  const came = await ask('/v1/messages', '{"model":"m"}')
  expect([came.headers.get('x-echo'), came.headers.get('x-other')]).toEqual([null, 'kept'])
})

const usage = { prompt_tokens: 5, completion_tokens: 2 }

test.each([
  [
    '/v1/chat/completions',
    '{"model":"m","stream":true,"stream_options":{"include_usage":false},"n":1}',
  ],
  [
    '/v1/chat/completions',
    '{"model":"m","stream":true,"stream_options":{"include_usage":null,"include_usage":false}}',
  ],
  ['/v1/chat/completions', '{"model":"m","stream":true,"note":"\\"include_usage\\": true"}'],
  ['/v1/chat/completions', '{"model":"m","stream":true,"stream_options":null}'],
  ['/v1/completions', '{"model":"m","stream":true}'],
])(
  '[GW4] %s %s is asked for its numbers, and the agent does not see what it did not want',
  async (path, body) => {
    const { ask, arrived, facts } = await open((_, answer, sent) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' })
      const { stream_options: options } = JSON.parse(sent.toString())
      answer.write('data: {"choices":[{"delta":{"content":"hi"}}]}\n\n')
      if (options?.include_usage === true)
        answer.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`)
      answer.end('data: [DONE]\n\n')
    })
    const text = await (await ask(path, body)).text()
    expect(text).toBe('data: {"choices":[{"delta":{"content":"hi"}}]}\n\n\ndata: [DONE]\n\n')
    expect(arrived[0]).not.toContain('"include_usage":false')
    expect(facts.at(-1)).toMatchObject({
      model: 'm',
      inputTokens: 5,
      outputTokens: 2,
      finished: true,
    })
  },
)

test.each([
  ['two models', 400, '/v1/messages', '{"model":"cheap","messages":[],"model":"dear"}'],
  ['two models, one in other words', 400, '/v1/messages', '{"model":"cheap","mod\\u0065l":"dear"}'],
  [
    'two models that a service may read as one',
    400,
    '/v1/messages',
    '{"model":"cheap","MODEL":"dear"}',
  ],
  ['a model that is none', 400, '/v1/messages', '{"model":["cheap"]}'],
  [
    'two stream_options',
    400,
    '/v1/chat/completions',
    '{"model":"m","stream":true,"stream_options":{},"stream_options":{}}',
  ],
  [
    'a stream that is not said plainly',
    400,
    '/v1/chat/completions',
    '{"model":"m","stream":"true"}',
  ],
  ['work in the background', 400, '/v1/responses', '{"model":"m","background":true}'],
  ['what is no object', 400, '/v1/messages', '[{"model":"m"}]'],
  ['an object and more', 400, '/v1/messages', '{"model":"m"}{"model":"dear"}'],
  ['an object that is cut', 400, '/v1/messages', '{"model":"m","messages":["'],
  ['another alphabet', 400, '/v1/messages', Buffer.from('{"model":"m"}', 'utf16le')],
  ['a method that is not known', 404, '/v1beta/models/m:predictLongRunning', '{}'],
] as const)(
  '[GW4] %s would not be counted, so it does not leave',
  async (_, status, path, body) => {
    const { ask, arrived, facts } = await open((__, answer) => void answer.end('{}'))
    const came = await ask(path, body)
    expect([came.status, (await came.json()).error.message]).toEqual([
      status,
      expect.stringContaining('Holdfast: '),
    ])
    expect([arrived, facts]).toEqual([[], []])
  },
)

test.each(['gzip', 'identity, gzip', 'zstd', 'nonsense'])(
  '[GW4] a body in %s is not read, so it does not leave',
  async (encoding) => {
    const { ask, arrived, facts } = await open((_, answer) => void answer.end('{}'))
    const came = await ask('/v1/messages', gzipSync('{"model":"m"}'), {
      'content-encoding': encoding,
    })
    expect([came.status, (await came.json()).error.code]).toEqual([415, 'encoded_body'])
    expect([arrived, facts]).toEqual([[], []])
  },
)

test('[GW4] a request that would leave the numbers out of an answer of Gemini is changed first', async () => {
  const asked: [string | undefined, unknown][] = []
  const { ask } = await open((request, answer) => {
    asked.push([request.url, request.headers['x-goog-fieldmask']])
    answer.end('{}')
  })
  const query = '?alt=sse&fields=candidates&$fields=x&callback=f&$alt=proto&api-version=1'
  await (
    await ask(`/v1beta/models/m:streamGenerateContent${query}`, '{}', {
      'x-goog-fieldmask': 'candidates',
    })
  ).text()
  await (await ask('/v1beta/models/m:generateContent?alt=proto', '{}')).text()
  expect(asked).toEqual([
    ['/v1beta/models/m:streamGenerateContent?alt=sse&api-version=1', undefined],
    ['/v1beta/models/m:generateContent', undefined],
  ])
})
