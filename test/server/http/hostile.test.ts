/**
 * A thousand hostile inputs (SE9), the same ones each time: paths, headers, bodies, keys, frames,
 * Hosts and Origins. None of them may break the server, hold it up or change anything.
 */
import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ownTime } from '../../support/own-time.ts'
import { anyCharacter } from '../../support/property.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const inputs = 1000
const seed = 20260301
const atOnce = 25
const longestAnswerMs = 1000

/** Reads only: whatever it sends, nothing may change. */
const viewer = '<viewer>'
const port = '<port>'

const hostileText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.constantFrom(
    '../'.repeat(20),
    '%00',
    '%2e%2e%2f',
    '\u0000',
    "' or 1=1 --",
    '{{7*7}}',
    '__proto__',
    'constructor',
    '\r\nX: y',
    '%',
    '💥'.repeat(20),
    'a'.repeat(9000),
  ),
)
const encoded = hostileText.map((text) => {
  // A lone surrogate cannot be encoded; the bytes of it can be sent all the same.
  try {
    return encodeURIComponent(text)
  } catch {
    return Buffer.from(text).toString('latin1')
  }
})
const path = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        '/',
        '/api/',
        '/api/projects/',
        '/api/agents/',
        '/api/projects/x/agents/',
        '/ws/',
        '/mcp/',
        '//',
        '/.',
      ),
      encoded,
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(
      fc.constantFrom(
        '/api/projects?limit=',
        '/api/projects?cursor=',
        '/api/snapshot?streams=',
        '/api/login?',
        '/metrics?',
      ),
      encoded,
    )
    .map((parts) => parts.join('')),
  hostileText.map((text) => `/${text}`),
  fc.constantFrom(
    '*',
    'http://evil.example/',
    '',
    '/api/projects/%zz',
    '/%',
    '/api/projects/..%2f..%2fetc%2fpasswd',
  ),
)
const method = fc.constantFrom(
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'CONNECT',
  'get',
  'NONSENSE',
  'M-SEARCH',
  '',
)
const host = fc.constantFrom(
  `127.0.0.1:${port}`,
  `localhost:${port}`,
  'evil.example',
  `127.0.0.1.evil.example:${port}`,
  '',
  '[',
  `127.0.0.1:${port}, evil.example`,
  'a'.repeat(500),
)
const origin = fc.constantFrom(
  undefined,
  `http://127.0.0.1:${port}`,
  'http://evil.example',
  'null',
  '',
  'file://',
  `http://127.0.0.1:${port}@evil.example`,
)
const authorization = fc.constantFrom(
  undefined,
  `Bearer ${viewer}`,
  'Bearer wrong',
  'Bearer',
  'Basic Og==',
  `Bearer ${'x'.repeat(3000)}`,
  'Bearer \u00ff\u00fe',
)
const header = fc.tuple(
  fc.constantFrom(
    'Cookie',
    'Content-Type',
    'Content-Length',
    'Transfer-Encoding',
    'Expect',
    'Upgrade',
    'Connection',
    'Idempotency-Key',
    'Last-Event-ID',
    'X-Forwarded-For',
    'X-Http-Method-Override',
    'Accept-Encoding',
    'Range',
    'Te',
    '',
  ),
  fc.oneof(
    hostileText,
    fc.constantFrom(
      'application/json',
      'text/plain',
      'multipart/form-data; boundary=x',
      'chunked',
      'chunked, chunked',
      'gzip',
      '100-continue',
      '-1',
      '99999999999999999999',
      '0',
      'websocket',
      'h2c',
      'upgrade',
      'close',
      'bytes=0-99999999',
      'holdfast_x=y; '.repeat(100),
    ),
  ),
)
const body = fc.oneof(
  fc.constant(''),
  fc.json({ maxDepth: 3 }),
  hostileText,
  fc.constantFrom(
    '{',
    '[[[[',
    '{"name":',
    `{"a":${'['.repeat(2000)}`,
    '{"__proto__":{"x":1}}',
    'null',
    '1e999',
    '"\\ud800"',
    '\u00ef\u00bb\u00bf{}',
    `{"name":"${'x'.repeat(5000)}"}`,
  ),
)

interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly host: string
  readonly origin: string | undefined
  readonly authorization: string | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly cut: number
}

function bytesOf(each: HostileRequest): Buffer {
  const lines = [
    `${each.method} ${each.path} HTTP/1.1`,
    `Host: ${each.host}`,
    ...(each.origin === undefined ? [] : [`Origin: ${each.origin}`]),
    ...(each.authorization === undefined ? [] : [`Authorization: ${each.authorization}`]),
    ...each.headers.map(([name, value]) => `${name}: ${value}`),
    ...(each.body === ''
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(each.body)}`]),
    'Connection: close',
  ]
  const text = `${lines.join('\r\n')}\r\n\r\n${each.body}`
  // Some stop in the middle.
  return Buffer.from(each.cut < 5 ? text.slice(0, Math.floor((text.length * each.cut) / 5)) : text)
}

const cut = fc.nat(100)
/** Everything about it is hostile. */
const wild = fc.record({
  method,
  path,
  host,
  origin,
  authorization,
  headers: fc.array(header, { maxLength: 4 }),
  body,
  cut,
})
/** One thing about it is; the rest takes it as far inside as it gets. */
const sane = {
  method: fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'DELETE'),
  path: fc.constantFrom(
    '/api/projects',
    '/api/agents',
    '/api/people',
    '/api/tokens',
    '/api/projects/x',
    '/api/agents/x/passkey',
    '/api/me',
  ),
  host: fc.constant(`127.0.0.1:${port}`),
  origin: fc.constantFrom(undefined, `http://127.0.0.1:${port}`),
  authorization: fc.constantFrom(undefined, `Bearer ${viewer}`, `Bearer ${viewer}`, 'Bearer wrong'),
  headers: fc.constant([]),
  body: fc.constantFrom('', '{"name":"p"}'),
  cut: fc.constant(100),
}
const pointed = fc.oneof(
  fc.record({ ...sane, path }),
  fc.record({ ...sane, method }),
  fc.record({ ...sane, host, origin }),
  fc.record({ ...sane, authorization }),
  fc.record({ ...sane, headers: fc.array(header, { minLength: 1, maxLength: 1 }) }),
  fc.record({ ...sane, body }),
  // The one route that takes a body from anybody.
  fc.record({ ...sane, body, method: fc.constant('POST'), path: fc.constant('/api/login') }),
)
const request = fc
  .oneof({ weight: 2, arbitrary: wild }, { weight: 5, arbitrary: pointed })
  .map(bytesOf)

const handshake = `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${viewer}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
const frame = fc
  .record({
    first: fc.nat(255),
    masked: fc.boolean(),
    length: fc.constantFrom('true', 'short', 'huge', 'negative'),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 120 }),
      body.map((text) => Buffer.from(text.slice(0, 120))),
    ),
  })
  .map(({ first, masked, length, payload }) => {
    const sizes = {
      true: [payload.length],
      short: [Math.max(0, payload.length - 3)],
      huge: [127, 0, 0, 0, 1, 0, 0, 0, 0],
      negative: [127, 255, 255, 255, 255, 255, 255, 255, 255],
    }
    const [size = 0, ...more] = sizes[length]
    const mask = masked ? [1, 2, 3, 4] : []
    const bytes = masked ? payload.map((byte, index) => byte ^ ((index % 4) + 1)) : payload
    return Buffer.from([first, size | (masked ? 0x80 : 0), ...more, ...mask, ...bytes])
  })
const frames = fc
  .array(frame, { minLength: 1, maxLength: 6 })
  .map((list) => Buffer.concat([Buffer.from(handshake), ...list]))
const garbage = fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes))

const hostileInput = fc.oneof(
  { weight: 7, arbitrary: request },
  { weight: 2, arbitrary: frames },
  { weight: 1, arbitrary: garbage },
)

test('[SE9] a thousand hostile inputs: 0 crashes, no answer over a second, 0 side effects', async () => {
  const server = await openTestServer()
  const { token } = (
    await server.ask('/api/people', { method: 'POST', body: { name: 'v', role: 'viewer' } })
  ).json
  const all = fc
    .sample(hostileInput, { numRuns: inputs, seed })
    .map((bytes) => fillIn(bytes, server, token))
  const before = await everything(server)
  const statuses = new Map<string, number>()
  const now = ownTime()
  let slowest = { ms: 0, input: '' }
  const queue = [...all]
  const attack = async (): Promise<void> => {
    for (let input = queue.pop(); input; input = queue.pop()) {
      const started = now()
      const answer = await throwAt(server.port, input)
      const ms = now() - started
      if (ms > slowest.ms) slowest = { ms, input: input.toString('latin1').slice(0, 300) }
      const status = answer.slice(9, 12)
      expect(answer, input.toString('latin1').slice(0, 500)).not.toMatch(
        / 500 |\.ts:\d|node:internal|SQLITE/,
      )
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, attack))
  expect(slowest.ms, slowest.input).toBeLessThan(longestAnswerMs)
  expect(await everything(server)).toEqual(before)
  expect((await server.ask('/healthz')).status).toBe(200)
  // The inputs reach every part: refused at the gate, by credentials, by schemas, as frames.
  for (const status of ['101', '200', '400', '401', '403', '404', '405'])
    expect(statuses.get(status) ?? 0, status).toBeGreaterThan(10)
}, 60_000)

/** Sends and says goodbye at once; resolves when the server has said everything it will. */
function throwAt(serverPort: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ port: serverPort, host: '127.0.0.1' }, () => socket.end(bytes))
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('close', () => resolve(text))
  })
}

const fillIn = (bytes: Buffer, server: TestServer, token: string): Buffer =>
  Buffer.from(
    bytes.toString('latin1').replaceAll(port, String(server.port)).replaceAll(viewer, token),
    'latin1',
  )

/** Where every stream is, and how many rows every table has. */
async function everything({ store }: TestServer) {
  const tables = [
    'events',
    'receipts',
    'projects',
    'agents',
    'assignments',
    'people',
    'credentials',
    'passes',
  ] as const
  const counts = await store.read(async (reader) => {
    const found: Record<string, unknown> = {}
    for (const table of tables)
      found[table] = await reader.query((db) =>
        db.selectFrom(table).select((eb) => eb.fn.countAll().as('rows')),
      )
    return found
  })
  return { counts, streams: await store.streamsAfter('', 100) }
}
