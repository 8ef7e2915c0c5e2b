/** Signing a browser in and out (SE1), and how often one may try (SE8). */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RateLimit } from '../../../src/server/security/rate-limit.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const login = (server: TestServer, body: object, headers: Record<string, string> = {}) =>
  server.ask('/api/login', { method: 'POST', body, token: null, headers })

test('[SE1] a one-time code becomes an HttpOnly, SameSite=Strict cookie named after the store, once', async () => {
  const server = await openTestServer()
  const { code } = (await server.ask('/api/sign-in-codes', { method: 'POST' })).json
  const answer = await login(server, { code }, { origin: server.url })
  expect(answer.status).toBe(204)
  const [cookie = ''] = answer.headers['set-cookie'] ?? []
  expect(cookie).toMatch(
    /^holdfast_[0-9a-f]{12}=hf_browser_[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  const me = await server.ask('/api/me', {
    token: null,
    headers: { cookie: cookie.split(';')[0] ?? '' },
  })
  expect(me.json).toEqual({
    id: 'owner',
    name: 'Owner',
    kind: 'person',
    role: 'owner',
    scopes: ['read', 'write', 'approve', 'manage'],
  })
  expect((await login(server, { code })).json.code).toBe('authentication_failed')
})

test('[SE1] a code is good for 10 minutes', async () => {
  const server = await openTestServer()
  const { code } = (await server.ask('/api/sign-in-codes', { method: 'POST' })).json
  server.clock.advance(10 * 60_000)
  expect((await login(server, { code })).status).toBe(401)
})

test('[SE1] the cookie is Secure when readers come over https', async () => {
  const server = await openTestServer({
    publicUrl: 'https://holdfast.example.org',
    behindProxy: true,
  })
  const answer = await login(server, { token: server.ownerToken }, { host: 'holdfast.example.org' })
  expect(answer.headers['set-cookie']?.[0]).toContain('; Secure')
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000')
})

test('[SE1] two stores on one machine have cookies of different names', async () => {
  const [one, other] = [await openTestServer(), await openTestServer()]
  const name = async (server: TestServer) =>
    (await login(server, { token: server.ownerToken })).headers['set-cookie']?.[0]?.split('=')[0]
  expect(await name(one)).not.toBe(await name(other))
})

test("[SE3] a person's token signs in; a script's, an agent's or a cookie's value does not", async () => {
  const server = await openTestServer()
  const make = async (path: string, body: object) =>
    (await server.ask(path, { method: 'POST', body })).json
  const person = await make('/api/people', { name: 'Mia', role: 'viewer' })
  const script = await make('/api/tokens', { name: 's', kind: 'script' })
  const agent = await make('/api/agents', { name: 'a', protocol: 'mcp' })
  const signedIn = await login(server, { token: person.token })
  const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const me = await server.ask('/api/me', { token: null, headers: { cookie } })
  expect(me.json).toMatchObject({ id: person.id, role: 'viewer', scopes: ['read'] })
  for (const token of [script.token, agent.passkey, cookie.split('=')[1], 'nonsense']) {
    expect((await login(server, { token })).json.code).toBe('authentication_failed')
  }
})

test('[SE3] a script cannot make itself a sign-in code', async () => {
  const server = await openTestServer()
  const script = (
    await server.ask('/api/tokens', { method: 'POST', body: { name: 's', kind: 'script' } })
  ).json
  const answer = await server.ask('/api/sign-in-codes', { method: 'POST', token: script.token })
  expect([answer.status, answer.json.code]).toEqual([403, 'missing_scope'])
})

test('[SE8] ten attempts a minute: then 429 with Retry-After, for the right code too', async () => {
  const server = await openTestServer()
  for (let attempt = 0; attempt < 10; attempt++)
    expect((await login(server, { token: 'guess' })).status).toBe(401)
  const limited = await login(server, { token: server.ownerToken })
  expect([limited.status, limited.json.code, limited.headers['retry-after']]).toEqual([
    429,
    'rate_limited',
    '60',
  ])
  server.clock.advance(59_999)
  expect((await login(server, { token: server.ownerToken })).headers['retry-after']).toBe('1')
  server.clock.advance(1)
  expect((await login(server, { token: server.ownerToken })).status).toBe(204)
})

test('[SE8] without a proxy X-Forwarded-For changes nothing', async () => {
  const server = await openTestServer()
  for (let attempt = 0; attempt < 10; attempt++)
    await login(server, { token: 'guess' }, { 'x-forwarded-for': `10.0.0.${attempt}` })
  expect((await login(server, { token: 'guess' }, { 'x-forwarded-for': '10.0.0.99' })).status).toBe(
    429,
  )
})

test('[SE8] the memory of attempts is bounded, and an IPv6 network counts as one', () => {
  const limit = new RateLimit(manualClock(), 1)
  limit.attempt('2001:db8:1:2::1')
  expect(() => limit.attempt('2001:db8:1:2:aaaa::2')).toThrow('1 attempts')
  limit.attempt('2001:db8:1:3::1')
  for (let address = 0; address < 10_000; address++)
    limit.attempt(`10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`)
  // Forgotten, because ten thousand others came since.
  limit.attempt('2001:db8:1:2::1')
})

test('[SE8] a clock that was put back keeps nobody out for longer than a minute', () => {
  const clock = manualClock()
  const limit = new RateLimit(clock, 1)
  limit.attempt('10.0.0.1')
  clock.advance(-3_600_000)
  limit.attempt('10.0.0.1')
  expect(() => limit.attempt('10.0.0.1')).toThrow('1 attempts')
})

test('[SE1] no secret is ever in the log or, in plain text, in the store', async () => {
  const server = await openTestServer()
  const { code } = (await server.ask('/api/sign-in-codes', { method: 'POST' })).json
  const cookie =
    (await login(server, { code })).headers['set-cookie']?.[0]?.split(';')[0]?.split('=')[1] ?? ''
  const script = (
    await server.ask('/api/tokens', { method: 'POST', body: { name: 's', kind: 'script' } })
  ).json
  const agent = (
    await server.ask('/api/agents', { method: 'POST', body: { name: 'a', protocol: 'mcp' } })
  ).json
  await server.ask(`/api/projects/${script.token}`)
  await server.ask(`/api/projects?cursor=${script.token}`)
  await server.ask('/api/events', { headers: { authorization: `Bearer ${cookie}x` } })
  const kept = await Promise.all(
    (await readdir(server.folder)).map((name) =>
      readFile(join(server.folder, name), 'latin1').catch(() => ''),
    ),
  )
  for (const secret of [server.ownerToken, code, cookie, script.token, agent.passkey]) {
    expect(secret.length).toBeGreaterThan(40)
    expect(server.log()).not.toContain(secret)
    for (const file of kept) expect(file).not.toContain(secret)
  }
  expect(server.log()).toContain('[masked]')
})

test('[SE2] whether a browser is signed in is told without a refusal, and nothing else of it', async () => {
  const server = await openTestServer()
  const ask = async (headers: Record<string, string> = {}) =>
    (await server.ask('/api/login', { token: null, headers })).json
  expect(await ask()).toEqual({ signedIn: false })
  const cookie =
    String((await login(server, { token: server.ownerToken })).headers['set-cookie']?.[0]).split(
      ';',
    )[0] ?? ''
  expect(await ask({ cookie })).toEqual({ signedIn: true })
  expect(await ask({ cookie: `${cookie}x` })).toEqual({ signedIn: false })
})
