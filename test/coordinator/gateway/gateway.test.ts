/**
 * The gateway with real connections: a stand-in for a model in four forms of API, agents that ask
 * it, and what is counted.
 */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startedAgent } from '../../../src/coordinator/acp/open-acp-session.ts'
import { unattendedWay } from '../../../src/coordinator/acp/sign-in.ts'
import { filledIn } from '../../../src/coordinator/agent-environment.ts'
import { Gateway, type GatewayLaunch } from '../../../src/coordinator/gateway/gateway.ts'
import { UsageCounter } from '../../../src/coordinator/gateway/usage-counter.ts'
import type { NewFact } from '../../../src/coordinator/spool.ts'
import { particularsOf } from '../../support/launch-particulars.ts'
import { type Form, forms, pathOf, startModelService } from '../../support/model-service.ts'

const key = 'sk-real-0123456789-planted'

async function open(
  changes: Partial<GatewayLaunch> = {},
  options: { idleMs?: number; maxLaunchBytes?: number; words?: number } = {},
) {
  const model = await startModelService(options)
  const facts: NewFact[] = []
  const waiting = new Set<() => void>()
  const report = (fact: NewFact): void => {
    facts.push(fact)
    for (const each of waiting) each()
  }
  const gateway = new Gateway({ env: {}, report, ...options })
  const launch = {
    launchId: 'one',
    launchToken: 'hf_launch_one',
    upstream: model.url,
    key,
    turn: () => 't1',
    refuse: () => undefined,
  }
  const way = await gateway.open({ ...launch, ...changes })
  onTestFinished(async () => {
    gateway.close()
    await model.close()
  })
  const answered = () => facts.filter((fact) => fact.type === 'model-answered')
  /** Waits until so many requests are reported. */
  const received = async (count: number) => {
    while (answered().length < count) await new Promise<void>((resolve) => waiting.add(resolve))
    return answered()
  }
  return { model, facts, gateway, way, received, launch }
}

type Opened = Awaited<ReturnType<typeof open>>

const authOf = (form: Form, token: string): Record<string, string> =>
  form === 'anthropic'
    ? { 'x-api-key': token }
    : form === 'gemini'
      ? { 'x-goog-api-key': token }
      : { authorization: `Bearer ${token}` }

function ask(
  { way }: Opened,
  form: Form,
  { doing = '', token = way.token, body = {}, model = `${form}-model` } = {},
) {
  const isStream = doing !== 'whole'
  const usage = form === 'chat' && isStream ? { stream_options: { include_usage: true } } : {}
  return fetch(`${way.url}${pathOf(form, model, isStream)}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...authOf(form, token),
      ...(doing && { 'x-do': doing }),
    },
    redirect: 'manual',
    body: JSON.stringify({
      ...(form !== 'gemini' && { model, stream: isStream }),
      ...usage,
      ...body,
    }),
  })
}

test.each(
  forms.flatMap((form) => ['', 'split', 'large', 'whole'].map((doing) => [form, doing] as const)),
)(
  '[GW1] [GW2] [GW4] %s %s: the answer passes unchanged, the real key arrives alone, and the numbers are exact',
  async (form, doing) => {
    const opened = await open()
    const { model, way, received, facts } = opened
    const came = await ask(opened, form, { doing })
    const text = await came.text()
    const [arrived] = model.arrived
    const direct = await fetch(`${model.url}${pathOf(form, `${form}-model`, doing !== 'whole')}`, {
      method: 'POST',
      headers: { 'x-do': doing },
      body: arrived?.body ?? '',
    })
    const [mine, its] = [text, await direct.text()].map((each) => each.replaceAll(/\d+/g, 'N'))
    expect(mine).toBe(its)
    expect(came.headers.get('x-request-id')).toBe(
      direct.headers.get('x-request-id') === null ? null : 'r1',
    )
    const sent = JSON.stringify(arrived?.headers)
    expect([
      sent.includes(key),
      sent.includes(way.token),
      arrived?.headers['accept-encoding'],
    ]).toEqual([true, false, 'identity'])
    const of = { launchId: 'one', turnId: 't1', model: `${form}-model` }
    expect(await received(1)).toEqual([
      { type: 'model-answered', ...of, ...arrived?.tokens, finished: true },
    ])
    expect(facts[0]).toEqual({ type: 'model-asked', ...of })
  },
)

test('[GW2] a key in the address is replaced there, and a foreign one beside the token does not leave', async () => {
  const opened = await open()
  const { way, model } = opened
  const path = `${way.url}/v1beta/models/m:generateContent?key=${way.token}`
  await fetch(path, { method: 'POST', body: '{}', headers: { cookie: 'a=b' } })
  const headers = {
    'x-api-key': way.token,
    'x-goog-api-key': 'foreign',
    'content-type': 'application/json',
  }
  await (
    await fetch(`${way.url}/v1/messages`, { method: 'POST', headers, body: '{"model":"m"}' })
  ).text()
  const [first, second] = model.arrived
  expect([first?.path, first?.headers.cookie]).toEqual([
    `/v1beta/models/m:generateContent?key=${key}`,
    undefined,
  ])
  expect([second?.headers['x-api-key'], second?.headers['x-goog-api-key']]).toEqual([
    key,
    undefined,
  ])
})

test.each([
  ['/api/v1', '/v1/chat/completions', '/api/v1/chat/completions'],
  ['/api/v4/', '/v1/responses', '/api/v4/responses'],
  ['/proxy', '/v1/messages', '/proxy/v1/messages'],
  ['', '/chat/completions', '/chat/completions'],
])('[GW1] an upstream at %s gets %s as %s', async (base, asked, arrives) => {
  const upstream = await startModelService()
  onTestFinished(() => upstream.close())
  const { way } = await open({ upstream: `${upstream.url}${base}` })
  const headers = { authorization: `Bearer ${way.token}` }
  await (
    await fetch(`${way.url}${asked}`, { method: 'POST', headers, body: '{"model":"m"}' })
  ).text()
  expect(upstream.arrived[0]?.path).toBe(arrives)
})

test.each(forms)(
  '[GW4] %s: a stream that is cut is counted as at least what was told',
  async (form) => {
    const opened = await open()
    const came = await ask(opened, form, { doing: 'cut' })
    await expect(came.text()).rejects.toThrow()
    const [{ tokens } = { tokens: undefined }] = opened.model.arrived
    const [received] = await opened.received(1)
    const isKnown = form === 'anthropic' || form === 'gemini'
    expect(received).toMatchObject({
      finished: false,
      inputTokens: isKnown ? tokens?.inputTokens : 0,
    })
  },
)

test('[GW4] an agent that leaves, and one that is ended, cut their streams: the model is left, and each is marked once', async () => {
  const opened = await open()
  const { model, way, received } = opened
  const gone = new AbortController()
  const leaves = fetch(`${way.url}/v1/messages`, {
    method: 'POST',
    signal: gone.signal,
    headers: { 'x-api-key': way.token, 'x-do': 'hang' },
    body: '{"model":"m"}',
  }).catch(() => 'left')
  const ended = ask(opened, 'chat', { doing: 'hang' }).catch(() => 'ended')
  while (model.arrived.length < 2) await new Promise((resolve) => setImmediate(resolve))
  gone.abort()
  expect(await leaves).toBe('left')
  expect(await received(1)).toMatchObject([{ model: 'm', finished: false }])
  way.close()
  expect(await ended).toBe('ended')
  expect(await received(2)).toMatchObject([
    { model: 'm' },
    { model: 'chat-model', finished: false },
  ])
  while (model.arrived.some(({ left }) => !left))
    await new Promise((resolve) => setImmediate(resolve))
  expect((await ask(opened, 'chat')).status).toBe(401)
})

test('[GW4] chat that was not asked for its numbers is asked, and the agent does not see the chunk it did not want', async () => {
  const opened = await open()
  for (const doing of ['', 'split']) {
    const text = await (
      await ask(opened, 'chat', { doing, body: { stream_options: undefined, n: 1 } })
    ).text()
    expect(text).not.toContain('"choices":[]')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  }
  expect(JSON.parse(opened.model.arrived[0]?.body ?? '')).toMatchObject({
    n: 1,
    stream_options: { include_usage: true },
  })
  const exact = opened.model.arrived.map(({ tokens }) => ({ ...tokens, finished: true }))
  expect(await opened.received(2)).toMatchObject(exact)
})

test('[GW2] an error, and a way elsewhere that is not gone, pass without the key that the service repeats, and have used nothing', async () => {
  const opened = await open()
  for (const [doing, status, received] of [
    ['error', 401, 1],
    ['moved', 307, 2],
  ] as const) {
    const came = await ask(opened, 'anthropic', { doing })
    const text = await came.text()
    expect([came.status, came.headers.get('x-key'), text.includes(key)]).toEqual([
      status,
      null,
      false,
    ])
    expect(text).toContain('Incorrect API key provided')
    expect((await opened.received(received)).at(-1)).toMatchObject({
      inputTokens: 0,
      finished: true,
    })
  }
})

test('[GW1] without the token of a running launch, from elsewhere, or to something else than a model nothing leaves', async () => {
  const opened = await open()
  const { way, gateway, launch, model, facts } = opened
  const other = await gateway.open({ ...launch, launchId: 'two', launchToken: 'hf_launch_two' })
  expect(other.token).not.toBe(way.token)
  const get = async (path: string, headers: Record<string, string>, method = 'GET') =>
    new Promise<[number | undefined, string]>((resolve, reject) => {
      const asked = request(
        { ...urlToHttpOptions(new URL(way.url)), path, headers, method },
        async (came) => {
          let text = ''
          for await (const piece of came) text += piece
          resolve([came.statusCode, JSON.parse(text).error.code])
        },
      )
      asked.once('error', reject).end()
    })
  const auth = { 'x-api-key': way.token }
  expect(await get('/v1/models', {})).toEqual([401, 'wrong_token'])
  expect(await get('/v1/models', { 'x-api-key': 'hf_launch_one' })).toEqual([401, 'wrong_token'])
  expect(await get('/v1/models', { ...auth, origin: 'http://evil.test' })).toEqual([
    403,
    'foreign_origin',
  ])
  expect(await get('/v1/models', { ...auth, host: 'evil.test' })).toEqual([403, 'foreign_origin'])
  for (const path of [
    '/v1/files',
    '/v1/organization/admin_api_keys',
    '/v1/threads/t/messages',
    '/',
    '/v1/messages/../files',
  ])
    for (const method of ['GET', 'POST'])
      expect(await get(path, auth, method)).toEqual([404, 'no_model_api'])
  // A service may decode a path once more; and of a model's path some methods delete, list what is
  // stored, or repeat the request.
  for (const up of ['%2e%2e', '..', '.%2E', '%252e%252e'])
    expect(await get(`/v1/models/x%2f${up}%2f${up}%2ffiles`, auth)).toEqual([404, 'no_model_api'])
  for (const [method, path] of [
    ['DELETE', '/v1/models/ft:mine'],
    ['GET', '/v1/chat/completions'],
    ['GET', '/v1/messages'],
    ['TRACE', '/v1/models'],
    ['PATCH', '/v1/models/mine'],
  ] as const)
    expect(await get(path, auth, method)).toEqual([404, 'no_model_api'])
  expect([model.arrived, facts]).toEqual([[], []])
  // The connection of a sandbox is its launch's alone.
  const inside = createServer((socket) => other.accept(socket)).listen(0, '127.0.0.1')
  await once(inside, 'listening')
  onTestFinished(() => void inside.close())
  const { port } = inside.address() as { port: number }
  const from = async (token: string) =>
    (
      await fetch(`http://127.0.0.1:${port}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': token },
        body: '{}',
      })
    ).status
  expect([await from(way.token), await from(other.token)]).toEqual([401, 200])
})

test('[GW3] a request that is refused does not leave, and the agent is told why', async () => {
  const asked: object[] = []
  const opened = await open({
    turn: () => null,
    refuse: (each) => {
      asked.push(each)
      return each.model === 'dear' ? 'The budget is spent.' : undefined
    },
  })
  const refused = await ask(opened, 'chat', { model: 'dear' })
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { error: { code: 'refused', message: /budget is spent/ } },
  ])
  expect([asked, opened.model.arrived, opened.facts]).toMatchObject([
    [{ turnId: null, model: 'dear' }],
    [],
    [],
  ])
  expect((await ask(opened, 'chat', { model: 'cheap' })).status).toBe(200)
})

test('[GW1] a model that cannot be reached, and one that falls silent, are told as what they are', async () => {
  const nobody = await open({ upstream: 'http://127.0.0.1:1' })
  const came = await ask(nobody, 'responses')
  expect([came.status, await came.json()]).toMatchObject([
    502,
    { error: { code: 'upstream_gone' } },
  ])
  expect(await nobody.received(1)).toMatchObject([{ finished: true, inputTokens: 0 }])
  const silent = await open({}, { idleMs: 20 })
  expect((await ask(silent, 'responses', { doing: 'hang' })).status).toBe(502)
  expect(await silent.received(1)).toMatchObject([{ finished: false }])
})

test('[GW1] an agent that reads slowly holds the model back, and gets everything', async () => {
  const opened = await open()
  const { way, model, received } = opened
  const socket = connect(Number(new URL(way.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.pause()
  const body = '{"model":"slow","messages":[]}'
  const head = [
    `x-api-key: ${way.token}`,
    'x-do: large',
    `content-length: ${body.length}`,
    'host: 127.0.0.1',
    'connection: close',
  ]
  socket.write(`POST /v1/messages HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  while (model.arrived.length === 0) await new Promise((resolve) => setImmediate(resolve))
  let bytes = 0
  let tail = ''
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    tail = (tail + chunk.toString()).slice(-400)
  })
  socket.resume()
  await once(socket, 'close')
  expect(bytes).toBeGreaterThan(200_000)
  expect(tail).toContain('message_stop')
  expect(await received(1)).toMatchObject([{ ...model.arrived[0]?.tokens, finished: true }])
})

test('[GW1] header, body and number of streams are bounded', async () => {
  const opened = await open()
  const { way, model } = opened
  const large = await fetch(`${way.url}/v1/models`, {
    headers: { 'x-api-key': way.token, 'x-large': 'x'.repeat(70_000) },
  }).then(
    ({ status }) => status,
    () => 'cut',
  )
  expect([431, 'cut']).toContain(large)
  const body = Buffer.alloc(64 * 1024 * 1024 + 1)
  const headers = { 'x-api-key': way.token }
  const refused = await fetch(`${way.url}/v1/messages`, { method: 'POST', headers, body }).then(
    ({ status }) => status,
    () => 'cut',
  )
  expect([413, 'cut']).toContain(refused)
  const held = Array.from({ length: 64 }, () =>
    ask(opened, 'chat', { doing: 'hang' }).catch(() => undefined),
  )
  while (model.arrived.length < 64) await new Promise((resolve) => setImmediate(resolve))
  const over = await ask(opened, 'chat')
  expect([over.status, await over.json()]).toMatchObject([
    429,
    { error: { code: 'too_many_streams' } },
  ])
  way.close()
  await Promise.all(held)
  const narrow = await open({}, { maxLaunchBytes: 1000 })
  const first = ask(narrow, 'chat', { doing: 'hang', body: { text: 'x'.repeat(600) } }).catch(
    () => undefined,
  )
  while (narrow.model.arrived.length < 1) await new Promise((resolve) => setImmediate(resolve))
  expect((await ask(narrow, 'chat', { body: { text: 'x'.repeat(600) } })).status).toBe(413)
  expect((await ask(narrow, 'chat')).status).toBe(200)
  narrow.way.close()
  await first
})

test('[GW4] what a model writes in its text is no number and no end', () => {
  const counter = new UsageCounter('/v1/messages', 'text/event-stream')
  const line = (data: unknown): Buffer => Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
  counter.read(
    line({ type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } }),
  )
  counter.read(
    line({
      type: 'content_block_delta',
      delta: { text: 'data: [DONE]\nevent: message_stop {"usage":{"input_tokens":9}}' },
    }),
  )
  expect([counter.isOver, counter.end(true)]).toEqual([
    false,
    { inputTokens: 5, outputTokens: 1, cachedTokens: 0, finished: false },
  ])
})

test('[GW2] an agent may be told by its arguments where the gateway is, never its key; its variables count as a sign-in', () => {
  const values = {
    HOLDFAST_GATEWAY_URL: 'http://127.0.0.1:1',
    HOLDFAST_GATEWAY_MODEL: 'm',
    HOLDFAST_GATEWAY_KEY: 'k',
  }
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: filled in by the launch
  const args = [
    '--url=${HOLDFAST_GATEWAY_URL}/v1',
    '${HOLDFAST_GATEWAY_MODEL}',
    '${HOLDFAST_GATEWAY_KEY}',
  ]
  expect(filledIn(args, values)).toEqual([
    '--url=http://127.0.0.1:1/v1',
    'm',
    '${HOLDFAST_GATEWAY_KEY}',
  ])
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: filled in by the launch
  const gateway = { upstream: 'http://model.test', secret: 'KEY' }
  const isolation = {
    sandbox: 'off',
    allow: { folders: [], hosts: [] },
    wrapper: null,
    command: 'unheard-of',
    gateway,
  } as const
  const way = {
    id: 'key',
    name: 'API key',
    description: null,
    terminal: null,
    isKey: true,
    variables: [],
  }
  const variables = (given: typeof gateway | null) =>
    startedAgent(particularsOf({ isolation: { ...isolation, gateway: given } })).variables
  expect(unattendedWay('unheard-of', [way], variables(gateway))).toEqual(way)
  expect(unattendedWay('unheard-of', [way], variables(null))).toBeUndefined()
})
