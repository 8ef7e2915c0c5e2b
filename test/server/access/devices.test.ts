/**
 * The browsers that somebody is signed in with: how long they stay, the list of them, and signing
 * one out (SE1, SE24).
 */
import { expect, test } from 'vitest'
import { followEvents, openSocket } from '../../support/feed-clients.ts'
import { openTestServer, type TestServer, type TestServerOptions } from '../../support/server.ts'

const day = 24 * 3_600_000
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

async function signIn(
  server: TestServer,
  token = server.ownerToken,
  headers: Record<string, string> = {},
) {
  const answer = await server.ask('/api/login', {
    method: 'POST',
    body: { token },
    token: null,
    headers,
  })
  expect(answer.status).toBe(204)
  const [setCookie = ''] = answer.headers['set-cookie'] ?? []
  const cookie = setCookie.split(';')[0] ?? ''
  const as = { token: null, headers: { cookie, origin: server.url } }
  return { setCookie, cookie, as, me: async () => (await server.ask('/api/me', as)).status }
}

type SignedIn = Awaited<ReturnType<typeof signIn>>

const devices = async (server: TestServer, token = server.ownerToken) =>
  (await server.ask('/api/devices', { token })).json.items

const person = async (server: TestServer, name: string) =>
  (await server.ask('/api/people', { method: 'POST', body: { name, role: 'member' } })).json

const usedAt = async (server: TestServer, { as }: SignedIn) =>
  (await server.ask('/api/devices', as)).json.items.find(
    (each: { isCurrent: boolean }) => each.isCurrent,
  ).usedAt

/** What a browser does by and by is written down behind its answer. */
const settled = (server: TestServer) => server.store.positions(['home'])

test('[SE1] a browser that is used stays signed in, for 90 days at most; one that is not is out after 30', async () => {
  const server = await openTestServer()
  const [used, left] = [await signIn(server), await signIn(server)]
  expect(used.setCookie).toContain(`Max-Age=${90 * 86_400};`)
  for (let days = 0; days < 87; days += 29) {
    server.clock.advance(29 * day)
    expect(await used.me(), `after ${days + 29} days`).toBe(200)
    await expect.poll(() => usedAt(server, used)).toBe(new Date(server.clock.now()).toISOString())
  }
  expect(await left.me()).toBe(401)
  server.clock.advance(3 * day - 1)
  expect(await used.me()).toBe(200)
  server.clock.advance(1)
  expect(await used.me()).toBe(401)
  expect(await devices(server)).toEqual([])
})

test('[SE1] both times after which a browser is signed out are settings', async () => {
  const server = await openTestServer({ signInRules: { idleMs: 2 * day, mostMs: 5 * day } })
  const browser = await signIn(server)
  expect(browser.setCookie).toContain(`Max-Age=${5 * 86_400};`)
  server.clock.advance(2 * day)
  expect(await browser.me()).toBe(401)
})

test('[SE24] one’s own browsers are listed, also for a token, with the address and the name of each; tokens are none of them', async () => {
  const server = await openTestServer({ trustedProxies: ['127.0.0.1'] })
  await server.ask('/api/tokens', { method: 'POST', body: { name: 's', kind: 'script' } })
  const mia = await person(server, 'Mia')
  const browser = await signIn(server, mia.token, {
    'user-agent': firefox,
    'x-forwarded-for': '203.0.113.7',
  })
  await signIn(server)
  const [listed, ...others] = await devices(server, mia.token)
  expect(others).toEqual([])
  const at = new Date(server.clock.now()).toISOString()
  const expiresAt = new Date(server.clock.now() + 30 * day).toISOString()
  expect(listed).toEqual({
    id: expect.any(String),
    kind: 'browser',
    name: 'Firefox, Linux',
    address: '203.0.113.7',
    createdAt: at,
    usedAt: at,
    expiresAt,
    isCurrent: false,
  })
  expect((await server.ask('/api/devices', browser.as)).json.items).toEqual([
    { ...listed, isCurrent: true },
  ])
  expect(await devices(server)).toHaveLength(1)
})

test('[SE24] a browser that is signed out is out at once, with its streams, its WebSockets and the links it made; others stay', async () => {
  const server = await openTestServer()
  const [one, other] = [await signIn(server), await signIn(server)]
  const [mine] = (await server.ask('/api/devices', one.as)).json.items.filter(
    (each: { isCurrent: boolean }) => each.isCurrent,
  )
  const [socket, stays] = await Promise.all(
    [one, other].map(({ as }) => openSocket({ port: server.port, headers: as.headers })),
  )
  const events = await followEvents({
    port: server.port,
    token: null,
    streams: 'home',
    headers: one.as.headers,
  })
  expect(events.status).toBe(200)
  const { code } = (await server.ask('/api/sign-in-codes', { method: 'POST', ...one.as })).json
  const { ticket } = (await server.ask('/api/tickets', { method: 'POST', ...one.as })).json
  expect(
    (await server.ask(`/api/devices/${mine.id}`, { method: 'DELETE', ...other.as })).status,
  ).toBe(204)
  expect(await socket?.closed).toEqual({ code: 4001, reason: 'revoked' })
  await events.ended
  expect([await one.me(), await other.me()]).toEqual([401, 200])
  expect(
    (await server.ask('/api/login', { method: 'POST', token: null, body: { code } })).status,
  ).toBe(401)
  await expect(openSocket({ port: server.port, path: `/ws?ticket=${ticket}` })).rejects.toThrow(
    '401',
  )
  await stays?.subscribe(['home'])
  expect((await server.ask(`/api/devices/${mine.id}`, { method: 'DELETE' })).status).toBe(404)
})

test('[SE24] another’s browser is not found, a token is no device, and a script has none', async () => {
  const server = await openTestServer()
  const mia = await person(server, 'Mia')
  const browser = await signIn(server, mia.token)
  const [{ id }] = await devices(server, mia.token)
  const script = (
    await server.ask('/api/tokens', { method: 'POST', body: { name: 's', kind: 'script' } })
  ).json
  for (const each of [id, script.id, 'none'])
    expect((await server.ask(`/api/devices/${each}`, { method: 'DELETE' })).json).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  for (const [path, method] of [
    ['/api/devices', 'GET'],
    [`/api/devices/${id}`, 'DELETE'],
  ] as const)
    expect((await server.ask(path, { method, token: script.token })).json).toMatchObject({
      code: 'missing_scope',
      scope: 'person',
    })
  expect((await server.ask('/api/me', { token: script.token })).status).toBe(200)
  expect(await browser.me()).toBe(200)
})

test('[SE24] the log names address and account of each sign-in, also of one that fails, and no secret', async () => {
  const server = await openTestServer({ trustedProxies: ['127.0.0.1'] })
  const forwarded = { 'x-forwarded-for': '198.51.100.9' }
  const browser = await signIn(server, server.ownerToken, forwarded)
  await server.ask('/api/login', {
    method: 'POST',
    body: { token: 'guess' },
    token: null,
    headers: forwarded,
  })
  await server.ask('/api/logout', {
    method: 'POST',
    token: null,
    headers: { ...browser.as.headers, ...forwarded },
  })
  await settled(server)
  const lines = server
    .log()
    .split('\n')
    .filter((line) => /"msg":"(signed|sign-in)/.test(line))
    .map((line) => JSON.parse(line))
  const from = { address: '198.51.100.9', requestId: expect.any(String) }
  expect(lines).toMatchObject([
    { ...from, msg: 'signed in', account: 'owner' },
    { ...from, msg: 'sign-in failed', code: 'authentication_failed' },
    { ...from, msg: 'signed out', account: 'owner' },
  ])
  expect(server.log()).not.toContain(browser.cookie.split('=')[1])
})

const overHttps: TestServerOptions = {
  publicUrl: 'https://holdfast.example.org',
  behindProxy: true,
}

test('[SE1] where the address is https the cookie is Secure and this host’s alone, and another host’s does not pass for it', async () => {
  const server = await openTestServer(overHttps)
  const host = { host: 'holdfast.example.org' }
  const over = await signIn(server, server.ownerToken, host)
  expect(over.setCookie).toMatch(
    /^__Host-holdfast_[0-9a-f]{12}=\S+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  const me = async (cookie: string, headers = {}) =>
    (await server.ask('/api/me', { token: null, headers: { cookie, ...headers } })).status
  expect(await me(over.cookie, host)).toBe(200)
  expect(await me(over.cookie.replace('__Host-', ''), host)).toBe(401)
  const local = await signIn(server)
  expect(local.setCookie).not.toMatch(/Secure|__Host-/)
  expect(await me(local.cookie)).toBe(200)
  const out = await server.ask('/api/logout', {
    method: 'POST',
    token: null,
    headers: { cookie: over.cookie, origin: 'https://holdfast.example.org', ...host },
  })
  expect(out.headers['set-cookie']?.[0]).toMatch(/^__Host-\S+; Max-Age=0; .*Secure/)
})
