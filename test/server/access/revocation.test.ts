/** A credential that is no longer good ends what it opened, at once (SE3). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { followEvents, openSocket } from '../../support/feed-clients.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const revokedClose = { code: 4001, reason: 'revoked' }

const make = async (server: TestServer, path: string, body: object) => {
  const answer = await server.ask(path, { method: 'POST', body })
  expect(answer.status).toBe(201)
  return answer.json
}

const scriptToken = (server: TestServer, more: object = {}) =>
  make(server, '/api/tokens', { name: randomUUID(), kind: 'script', scopes: ['read'], ...more })

async function openBoth({ port }: TestServer, token: string) {
  const socket = await openSocket({ port, token })
  const events = await followEvents({ port, token, streams: 'home' })
  await socket.subscribe(['home'])
  return { socket, events }
}

test('[SE14] revoking a token closes its open WebSockets with 4001 and ends its event streams; others stay', async () => {
  const server = await openTestServer()
  const [token, other] = [await scriptToken(server), await scriptToken(server, { name: 'another' })]
  const { socket, events } = await openBoth(server, token.token)
  const stays = await openBoth(server, other.token)
  expect((await server.ask(`/api/tokens/${token.id}`, { method: 'DELETE' })).status).toBe(204)
  expect(await socket.closed).toEqual(revokedClose)
  await events.ended
  expect((await server.ask('/api/me', { token: token.token })).json.code).toBe(
    'authentication_failed',
  )
  await stays.socket.subscribe(['home'])
  expect((await stays.events.next('token-revoked')).data.data.tokenId).toBe(token.id)
})

test('[SE14] removing a person ends everything of theirs: token, browser, and tokens they made', async () => {
  const server = await openTestServer()
  const person = await make(server, '/api/people', { name: 'Mia', role: 'owner' })
  const login = await server.ask('/api/login', {
    method: 'POST',
    body: { token: person.token },
    token: null,
  })
  const cookie = String(login.headers['set-cookie']?.[0]).split(';')[0] ?? ''
  const made = await server.ask('/api/tokens', {
    method: 'POST',
    token: person.token,
    body: { name: 's', kind: 'script' },
  })
  const origin = server.url
  const own = await openSocket({ port: server.port, token: person.token })
  const browser = await openSocket({ port: server.port, headers: { cookie, origin } })
  const script = await openSocket({ port: server.port, token: made.json.token })
  await server.ask(`/api/people/${person.id}`, { method: 'DELETE' })
  expect(await Promise.all([own.closed, browser.closed, script.closed])).toEqual([
    revokedClose,
    revokedClose,
    revokedClose,
  ])
})

test('[SE14] signing out closes the open connections of that browser', async () => {
  const server = await openTestServer()
  const login = await server.ask('/api/login', {
    method: 'POST',
    body: { token: server.ownerToken },
    token: null,
  })
  const cookie = String(login.headers['set-cookie']?.[0]).split(';')[0] ?? ''
  const headers = { cookie, origin: server.url }
  const socket = await openSocket({ port: server.port, headers })
  const logout = await server.ask('/api/logout', { method: 'POST', token: null, headers })
  expect(logout.status).toBe(204)
  expect(logout.headers['set-cookie']?.[0]).toMatch(/Max-Age=0/)
  expect(await socket.closed).toEqual(revokedClose)
  expect((await server.ask('/api/me', { token: null, headers })).status).toBe(401)
})

test.each([
  ['replacing its passkey', (id: string) => [`/api/agents/${id}/passkey`, 'POST'] as const],
  ['deleting it', (id: string) => [`/api/agents/${id}`, 'DELETE'] as const],
])('[SE14] an agent loses its open connections by %s', async (_, how) => {
  const server = await openTestServer()
  const agent = await make(server, '/api/agents', { name: 'a', protocol: 'mcp' })
  const socket = await openSocket({ port: server.port, token: agent.passkey })
  const [path, method] = how(agent.id)
  await server.ask(path, { method })
  expect(await socket.closed).toEqual(revokedClose)
})

test('[SE3] what a token opened ends when the token expires', async () => {
  const server = await openTestServer()
  const expiresAt = new Date(server.clock.now() + 12_000).toISOString()
  const { socket, events } = await openBoth(
    server,
    (await scriptToken(server, { expiresAt })).token,
  )
  server.clock.advance(11_000)
  await socket.subscribe(['home'])
  server.clock.advance(1_000)
  expect(await socket.closed).toEqual(revokedClose)
  await events.ended
})

test('[SE14] a message on a connection whose credential is gone is not done, even if no doorbell rang', async () => {
  const server = await openTestServer()
  const expiresAt = new Date(server.clock.now() + 30 * 24 * 60 * 60 * 1000).toISOString()
  const token = await scriptToken(server, { expiresAt })
  const socket = await openSocket({ port: server.port, token: token.token })
  // Time passes without the timers hearing of it: as on a machine that slept.
  const { now } = server.clock
  const late = now() + 31 * 24 * 60 * 60 * 1000
  Object.assign(server.clock, { now: () => late })
  socket.send({ type: 'subscribe', streams: ['home'] })
  expect(await socket.closed).toEqual(revokedClose)
  expect(socket.inbox.all).toEqual([])
  Object.assign(server.clock, { now })
})

test('[SE16] a token that expires makes none that does not, adds nobody, and takes what it made along', async () => {
  const server = await openTestServer()
  const expiresAt = new Date(server.clock.now() + 60_000).toISOString()
  const maker = await scriptToken(server, { scopes: ['read', 'manage'], expiresAt })
  const as = (path: string, body: object) =>
    server.ask(path, { method: 'POST', body, token: maker.token })
  const longer = {
    name: 'longer',
    kind: 'script',
    expiresAt: new Date(server.clock.now() + 60_001).toISOString(),
  }
  expect((await as('/api/tokens', longer)).json).toMatchObject({
    status: 400,
    detail: expect.stringContaining('must expire before the token that creates it'),
  })
  expect((await as('/api/people', { name: 'Mallory', role: 'viewer' })).json).toMatchObject({
    code: 'missing_scope',
  })
  const { json: ada } = await server.ask('/api/people', {
    method: 'POST',
    body: { name: 'Ada', role: 'viewer' },
  })
  const change = { method: 'PATCH', body: { role: 'owner' }, token: maker.token }
  expect((await server.ask(`/api/people/${ada.id}`, change)).json).toMatchObject({
    code: 'missing_scope',
  })
  expect((await as(`/api/people/${ada.id}/token`, {})).json).toMatchObject({
    code: 'missing_scope',
  })
  const { json: child } = await as('/api/tokens', {
    name: 'child',
    kind: 'script',
    scopes: ['read'],
  })
  expect(child).toMatchObject({ expiresAt, createdBy: maker.id, createdByName: maker.name })
  const { socket } = await openBoth(server, child.token)
  expect(
    (await server.ask(`/api/tokens/${maker.id}?made=perhaps`, { method: 'DELETE' })).status,
  ).toBe(400)
  await server.ask(`/api/tokens/${maker.id}`, { method: 'DELETE' })
  expect(await socket.closed).toEqual(revokedClose)
  const [first, kept] = [await scriptToken(server, { name: 'first', scopes: ['manage'] }), 'kept']
  const made = await server.ask('/api/tokens', {
    method: 'POST',
    body: { name: kept, kind: 'script' },
    token: first.token,
  })
  await server.ask(`/api/tokens/${first.id}?made=keep`, { method: 'DELETE' })
  expect((await server.ask('/api/me', { token: made.json.token })).json).toMatchObject({
    name: kept,
  })
  // A person at a browser, which has an end too, makes what they like.
  const login = await server.ask('/api/login', {
    method: 'POST',
    body: { token: server.ownerToken },
    token: null,
  })
  const headers = {
    cookie: String(login.headers['set-cookie']).split(';')[0] ?? '',
    origin: server.url,
  }
  const browser = await server.ask('/api/tokens', {
    method: 'POST',
    body: { name: 'b', kind: 'script' },
    token: null,
    headers,
  })
  expect(browser.json).toMatchObject({ expiresAt: null })
})
