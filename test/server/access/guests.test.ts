/**
 * Pages of other addresses: CORS for the origins of `allowed_origins` alone, and tickets for `/ws`
 * (SE25, SE26).
 */
import { expect, test } from 'vitest'
import { followEvents, openSocket } from '../../support/feed-clients.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const panel = 'https://panel.example.com'
const allowed = { allowedOrigins: [panel, 'http://127.0.0.1:5173'] }
const corsIn = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

const ticketOf = async (server: TestServer, token = server.ownerToken) => {
  const answer = await server.ask('/api/tickets', { method: 'POST', token })
  expect(answer.status).toBe(201)
  return answer.json as { ticket: string; expiresAt: string }
}

const open = (server: TestServer, ticket: string, headers = {}) =>
  openSocket({ port: server.port, path: `/ws?ticket=${ticket}`, headers })

test('[SE26] an allowed origin may read every answer, a refusal too, and is named in it alone', async () => {
  const server = await openTestServer(allowed)
  for (const origin of allowed.allowedOrigins) {
    for (const [path, token, status] of [
      ['/api/me', server.ownerToken, 200],
      ['/api/me', null, 401],
      ['/api/nothing', server.ownerToken, 404],
      ['/healthz', null, 200],
    ] as const) {
      const { headers, ...answer } = await server.ask(path, { token, headers: { origin } })
      expect(answer.status).toBe(status)
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        vary: 'Origin',
      })
      expect(headers['access-control-expose-headers']).toContain('retry-after')
    }
  }
  const own = await server.ask('/api/me', { headers: { origin: server.url } })
  expect([own.status, corsIn(own.headers), corsIn((await server.ask('/api/me')).headers)]).toEqual([
    200,
    {},
    {},
  ])
})

test('[SE26] a browser that asks ahead is told what such a page may send, without a credential', async () => {
  const server = await openTestServer(allowed)
  const ask = (headers: Record<string, string>) =>
    server.ask('/api/projects', { method: 'OPTIONS', token: null, headers })
  const asked = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  }
  const answer = await ask({
    origin: panel,
    ...asked,
    'access-control-request-private-network': 'true',
  })
  expect([answer.status, answer.text]).toEqual([204, ''])
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': panel,
    'access-control-allow-methods': expect.stringContaining('DELETE'),
    'access-control-allow-headers': expect.stringMatching(
      /authorization.*content-type.*idempotency-key/,
    ),
    'access-control-allow-private-network': 'true',
  })
  const foreign = await ask({ origin: 'https://evil.example.com', ...asked })
  expect([foreign.status, corsIn(foreign.headers)]).toEqual([403, {}])
})

test.each([
  'https://evil.example.com',
  'https://panel.example.com.evil.example',
  'http://panel.example.com',
  'https://panel.example.com:8443',
  'https://PANEL.example.com',
  'null',
  '',
])('[SE26] the origin %j stays refused, without a word of CORS', async (origin) => {
  const server = await openTestServer(allowed)
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const answer = await server.ask('/api/me', { method, headers: { origin } })
    expect([answer.status, answer.json.code, corsIn(answer.headers)]).toEqual([
      403,
      'forbidden_origin',
      {},
    ])
  }
  await expect(
    openSocket({ port: server.port, token: server.ownerToken, headers: { origin } }),
  ).rejects.toThrow('403')
})

test('[SE26] without the setting no other origin is allowed', async () => {
  const server = await openTestServer()
  const answer = await server.ask('/api/me', { headers: { origin: panel } })
  expect([answer.status, corsIn(answer.headers)]).toEqual([403, {}])
})

test('[SE26] an allowed origin follows events, and opens a WebSocket with a ticket', async () => {
  const server = await openTestServer(allowed)
  const { port, ownerToken: token } = server
  const { response } = await followEvents({
    port,
    token,
    streams: 'home',
    headers: { origin: panel },
  })
  expect([response.statusCode, response.headers['access-control-allow-origin']]).toEqual([
    200,
    panel,
  ])
  const socket = await open(server, (await ticketOf(server)).ticket, { origin: panel })
  expect((await socket.subscribe(['home'])).type).toBe('subscribed')
})

test('[SE25] a ticket opens one WebSocket within 60 seconds, with the rights of who made it, and is in no log', async () => {
  const server = await openTestServer()
  const { ticket, expiresAt } = await ticketOf(server)
  expect(expiresAt).toBe(new Date(server.clock.now() + 60_000).toISOString())
  const looks = (
    await server.ask('/api/tokens', {
      method: 'POST',
      body: { name: 'l', kind: 'script', scopes: ['read'] },
    })
  ).json
  const weak = await open(server, (await ticketOf(server, looks.token)).ticket)
  await weak.subscribe(['home'])
  weak.send({ type: 'session:create', projectId: 'none' })
  expect(await weak.next('error')).toMatchObject({ code: 'missing_scope', scope: 'write' })
  await open(server, ticket)
  await expect(open(server, ticket)).rejects.toThrow('401')
  const late = await ticketOf(server)
  server.clock.advance(60_000)
  await expect(open(server, late.ticket)).rejects.toThrow('401')
  for (const wrong of ['', 'x', server.ownerToken, looks.token])
    await expect(open(server, wrong)).rejects.toThrow('401')
  expect((await server.ask('/api/me', { token: (await ticketOf(server)).ticket })).status).toBe(401)
  for (const secret of [ticket, late.ticket]) expect(server.log()).not.toContain(secret)
})

test('[SE25] of many that show a ticket at once, one gets in', async () => {
  const server = await openTestServer()
  const { ticket } = await ticketOf(server)
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => open(server, ticket)))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('[SE25] a ticket, and what it has opened, are gone with the credential that made it', async () => {
  const server = await openTestServer()
  const script = (
    await server.ask('/api/tokens', { method: 'POST', body: { name: 's', kind: 'script' } })
  ).json
  const [used, kept] = [await ticketOf(server, script.token), await ticketOf(server, script.token)]
  const socket = await open(server, used.ticket)
  await server.ask(`/api/tokens/${script.id}`, { method: 'DELETE' })
  expect(await socket.closed).toEqual({ code: 4001, reason: 'revoked' })
  await expect(open(server, kept.ticket)).rejects.toThrow('401')
})
