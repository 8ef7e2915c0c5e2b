/** What is asked without a credential is bounded, for each address (SE27). */
import { expect, test } from 'vitest'
import { clientAddress } from '../../../src/server/security/client-address.ts'
import { anonymousRequestsPerMinute, RateLimit } from '../../../src/server/security/rate-limit.ts'
import { openSocket } from '../../support/feed-clients.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { fc, property } from '../../support/property.ts'
import { openTestServer } from '../../support/server.ts'

test('[SE27] before anybody has signed in 16 KiB of a body are read', async () => {
  const server = await openTestServer()
  const post = (path: string, bytes: number, headers = {}) =>
    server.ask(path, {
      method: 'POST',
      token: null,
      headers,
      body: { token: 'x'.repeat(bytes - 12) },
    })
  expect((await post('/api/login', 16 * 1024)).status).not.toBe(413)
  expect((await post('/api/login', 16 * 1024 + 1)).json).toMatchObject({
    status: 413,
    code: 'too_large',
    limit: 16 * 1024,
  })
  const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`
  const head = `POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  expect(await server.raw(head + chunk.repeat(6))).toMatch(/^HTTP\/1\.1 413 /)
  expect((await post('/api/projects', 1000)).status).toBe(401)
})

test('[SE27] 1,000 requests a minute without a valid credential, then 429 with Retry-After; who has one goes on', async () => {
  const server = await openTestServer()
  const asks = [
    () => server.ask('/api/me', { token: null }),
    () => server.ask('/api/me', { token: 'wrong' }),
    () => server.ask('/healthz', { token: null }),
    () => server.ask('/api/login', { token: null, headers: { cookie: 'made=up' } }),
  ]
  for (let n = 0; n < anonymousRequestsPerMinute; n += 50) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, each) => asks[(n + each) % asks.length]?.()),
    )
    for (const answer of answers) expect([200, 401]).toContain(answer?.status)
  }
  for (const ask of asks) {
    const { status, json, headers } = await ask()
    expect([status, json.code, Number(headers['retry-after']) > 0]).toEqual([
      429,
      'rate_limited',
      true,
    ])
  }
  await expect(openSocket({ port: server.port })).rejects.toThrow('429')
  expect((await server.ask('/api/me')).status).toBe(200)
  await openSocket({ port: server.port, token: server.ownerToken })
  server.clock.advance(61_000)
  for (const ask of asks) expect((await ask()).status).not.toBe(429)
})

test('[SE27] the address is the socket’s, and behind a proxy that is named the one that the proxy saw', async () => {
  const server = await openTestServer({ trustedProxies: ['127.0.0.0/8'] })
  const from = (forwarded: string) =>
    server.ask('/api/login', {
      method: 'POST',
      token: null,
      body: { token: 'guess' },
      headers: { 'x-forwarded-for': forwarded },
    })
  for (let n = 0; n < 10; n++) expect((await from(`10.0.0.${n}, 203.0.113.7`)).status).toBe(401)
  expect((await from('10.9.9.9, 203.0.113.7')).status).toBe(429)
  expect((await from('203.0.113.7, 127.0.0.9')).status).toBe(429)
  expect((await from('203.0.113.8')).status).toBe(401)
})

test.each([
  [[], '203.0.113.1', '198.51.100.1', '203.0.113.1'],
  [['203.0.113.1'], '203.0.113.1', '198.51.100.1', '198.51.100.1'],
  [['203.0.113.1'], '::ffff:203.0.113.1', '198.51.100.1', '198.51.100.1'],
  [['203.0.113.1'], '203.0.113.2', '198.51.100.1', '203.0.113.2'],
  [['203.0.113.1'], '203.0.113.1', undefined, '203.0.113.1'],
  [['203.0.113.1'], '203.0.113.1', 'nonsense', '203.0.113.1'],
  [
    ['203.0.113.1', '10.0.0.0/8'],
    '203.0.113.1',
    '1.2.3.4, 198.51.100.1:5123, 10.2.3.4',
    '198.51.100.1',
  ],
  [['fd00::/8'], 'fd00::1', '[2001:db8::1]:443', '2001:db8::1'],
] as const)(
  '[SE27] with the proxies %j, %s that says %s is %s',
  (proxies, remoteAddress, forwarded, expected) => {
    const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }
    expect(clientAddress(proxies)(request as never)).toBe(expected)
  },
)

property.prop([
  fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 400 }),
  fc.constantFrom(5, 100),
])(
  '[SE27] in no minute more than the limit pass, and after a minute of quiet somebody always does',
  (pauses, most) => {
    const clock = manualClock()
    const limit = new RateLimit(clock, most)
    const passed: number[] = []
    const attempt = (): void => {
      try {
        limit.attempt('one')
        passed.push(clock.now())
      } catch {}
    }
    for (const pause of pauses) {
      clock.advance(pause % 7 === 0 ? pause : 3)
      attempt()
    }
    for (const at of passed)
      expect(
        passed.filter((other) => other >= at && other < at + 60_000).length,
      ).toBeLessThanOrEqual(most)
    clock.advance(61_000)
    const before = passed.length
    attempt()
    expect(passed).toHaveLength(before + 1)
  },
)
