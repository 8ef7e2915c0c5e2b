/** Host, Origin and credential: every combination, before any handler (SE2). */
import { expect, test } from 'vitest'
import { Refusal } from '../../../src/domain/errors.ts'
import { hostAndOrigin } from '../../../src/server/http/gate.ts'
import { HttpListener } from '../../../src/server/http/http-listener.ts'
import { openTestServer } from '../../support/server.ts'

type Expected = '200' | '401' | 'host' | 'origin'

test('[SE17] the matrix of Host, Origin and credential: exact lists, and nothing happens when one is foreign', async () => {
  const server = await openTestServer({
    publicUrl: 'https://holdfast.example.org',
    behindProxy: true,
  })
  const { port } = server
  const signIn = async (headers: Record<string, string>) => {
    const login = await server.ask('/api/login', {
      method: 'POST',
      body: { token: server.ownerToken },
      token: null,
      headers,
    })
    return String(login.headers['set-cookie']?.[0]).split(';')[0] ?? ''
  }
  // One of this machine, and one of the address in front.
  const cookie = [await signIn({}), await signIn({ host: 'holdfast.example.org' })].join('; ')
  const hosts: [host: string | undefined, ours: boolean][] = [
    [`127.0.0.1:${port}`, true],
    [`localhost:${port}`, true],
    [`LocalHost:${port}`, true],
    [`[::1]:${port}`, true],
    ['holdfast.example.org', true],
    ['holdfast.example.org:443', true],
    ['127.0.0.1', false],
    [`127.0.0.1:${port + 1}`, false],
    [`127.0.0.2:${port}`, false],
    [`localhost.:${port}`, false],
    [`evil.example:${port}`, false],
    [`127.0.0.1:${port}.evil.example`, false],
    [`user@127.0.0.1:${port}`, false],
    ['holdfast.example.org:80', false],
    ['sub.holdfast.example.org', false],
    [' ', false],
    [undefined, false],
  ]
  const origins: [origin: string | undefined, ours: boolean][] = [
    [undefined, true],
    [`http://127.0.0.1:${port}`, true],
    [`http://localhost:${port}`, true],
    [`http://[::1]:${port}`, true],
    ['https://holdfast.example.org', true],
    ['http://holdfast.example.org', false],
    [`https://127.0.0.1:${port}`, false],
    [`http://127.0.0.1:${port}/`, false],
    [`http://127.0.0.1:${port + 1}`, false],
    ['http://evil.example', false],
    ['https://holdfast.example.org.evil.example', false],
    ['null', false],
    ['', false],
  ]
  const credentials: [header: string, name: string][] = [
    ['', 'none'],
    ['Authorization: Bearer wrong\r\n', 'wrong'],
    [`Authorization: Bearer ${server.ownerToken}\r\n`, 'bearer'],
    [`Cookie: ${cookie}\r\n`, 'cookie'],
  ]
  const [before] = await server.store.positions(['home'])
  let created = 0
  for (const [host, ourHost] of hosts) {
    for (const [origin, ourOrigin] of origins) {
      for (const [credential, name] of credentials) {
        for (const method of ['GET', 'POST'] as const) {
          const body = method === 'POST' ? '{"name":"p"}' : ''
          const type =
            method === 'POST'
              ? `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
              : ''
          const lines = `${host === undefined ? '' : `Host: ${host}\r\n`}${origin === undefined ? '' : `Origin: ${origin}\r\n`}`
          const text = await server.raw(
            `${method} /api/projects HTTP/1.1\r\n${lines}${credential}${type}Connection: close\r\n\r\n${body}`,
          )
          const wanted = expected()
          const status = Number(text.slice(9, 12))
          const where = `${method} Host ${host} Origin ${origin} ${name}`
          if (wanted === '200') {
            expect(status, where).toBe(method === 'GET' ? 200 : 201)
            if (method === 'POST') created++
          } else if (wanted === '401') expect(status, where).toBe(401)
          else
            expect(text, where).toMatch(
              new RegExp(`^HTTP/1.1 403 [\\s\\S]*"code":"forbidden_${wanted}"`),
            )

          function expected(): Expected {
            if (!ourHost) return 'host'
            if (!ourOrigin) return 'origin'
            if (name === 'none' || name === 'wrong') return '401'
            return name === 'cookie' && method === 'POST' && origin === undefined ? 'origin' : '200'
          }
        }
      }
    }
  }
  const [after] = await server.store.positions(['home'])
  expect((after?.head ?? 0) - (before?.head ?? 0)).toBe(created)
}, 60_000)

test('[SE17] two Host headers, and a target in absolute form, are refused', async () => {
  const server = await openTestServer()
  const host = `Host: 127.0.0.1:${server.port}\r\n`
  const rest = `Authorization: Bearer ${server.ownerToken}\r\nConnection: close\r\n\r\n`
  expect(await server.raw(`GET /api/me HTTP/1.1\r\n${host}${rest}`)).toMatch(/^HTTP\/1.1 200 /)
  for (const request of [
    `GET /api/me HTTP/1.1\r\n${host}Host: evil.example\r\n${rest}`,
    `GET /api/me HTTP/1.1\r\n${host}${host}${rest}`,
    `GET http://evil.example/api/me HTTP/1.1\r\n${host}${rest}`,
    `GET http://127.0.0.1:${server.port}/api/me HTTP/1.1\r\n${host}${rest}`,
    `OPTIONS * HTTP/1.1\r\n${host}${rest}`,
    `GET /api/me HTTP/1.0\r\n${rest}`,
  ]) {
    expect(await server.raw(request), request).toMatch(
      /^HTTP\/1.1 403 [\s\S]*"code":"forbidden_host"/,
    )
  }
})

test('[SE17] Host and Origin come before the credential, the route and the body', async () => {
  const server = await openTestServer()
  const foreign = { host: 'evil.example' }
  for (const path of [
    '/',
    '/healthz/',
    '/readyz/x',
    '/HEALTHZ',
    '/api/me',
    '/api/nothing',
    '/api/%zz',
    '/metrics',
  ]) {
    expect((await server.ask(path, { headers: foreign, token: null })).json.code, path).toBe(
      'forbidden_host',
    )
  }
  const status = await server
    .ask('/api/projects', { method: 'POST', headers: foreign, body: 'x'.repeat(2_000_000) })
    .then(
      (answer) => answer.status,
      // The rest of a body nobody wants is not waited for.
      () => 403,
    )
  expect(status).toBe(403)
})

test('[HT5] a node is probed under any Host, and scraped by the address that the operator names; nothing else answers there', async () => {
  const server = await openTestServer({
    metricsHosts: ['10.0.0.11:4747', 'node-1:4747'],
    behindProxy: true,
  })
  const as = (host: string | undefined, path: string, more = '', method = 'GET') => {
    const lines = `${host === undefined ? '' : `Host: ${host}\r\n`}${more}Connection: close\r\n\r\n`
    return server.raw(`${method} ${path} HTTP/1.1\r\n${lines}`)
  }
  const bearer = `Authorization: Bearer ${server.ownerToken}\r\n`
  const foreign = /^HTTP\/1.1 403 [\s\S]*"code":"forbidden_host"/
  for (const host of ['10.0.0.11:4747', 'evil.example', `10.1.2.3:${server.port}`, undefined]) {
    expect(await as(host, '/healthz'), host).toMatch(/^HTTP\/1.1 200 [\s\S]*"status":"ok"/)
    expect(await as(host, '/readyz?from=probe'), host).toMatch(
      /^HTTP\/1.1 200 [\s\S]*"status":"ready"/,
    )
    for (const path of ['/api/me', '/', '/mcp', '/ws', '/healthz/../api/me'])
      expect(await as(host, path, bearer)).toMatch(foreign)
    expect(await as(host, '/healthz', 'Content-Length: 0\r\n', 'POST')).toMatch(foreign)
  }
  expect(await as('evil.example', '/healthz', 'Origin: http://evil.example\r\n')).toContain(
    '"code":"forbidden_origin"',
  )
  for (const host of ['10.0.0.11:4747', 'Node-1:4747', `127.0.0.1:${server.port}`]) {
    expect(await as(host, '/metrics', bearer), host).toMatch(/^HTTP\/1.1 200 [\s\S]*\nholdfast_/)
    expect(await as(host, '/metrics'), host).toMatch(/^HTTP\/1.1 401 /)
  }
  for (const host of ['10.0.0.11', '10.0.0.12:4747', 'evil.example', undefined])
    expect(await as(host, '/metrics', bearer), host).toMatch(foreign)
})

test('[SE2] only health, readiness, signing in and the page need no credential', async () => {
  const server = await openTestServer()
  const asked = async (path: string, method = 'GET') =>
    (await server.ask(path, { method, token: null })).status
  expect(await asked('/healthz')).toBe(200)
  expect(await asked('/readyz')).toBe(200)
  expect(await asked('/api/login', 'POST')).toBe(400)
  expect(await asked('/')).toBe(503)
  for (const path of [
    '/api',
    '/api/',
    '/api/nothing',
    '/API/me',
    '/api/events?streams=home',
    '/ws',
    '/mcp',
    '/metrics',
    '/api/docs',
  ]) {
    expect(await asked(path), path).toBe(401)
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    for (const path of ['/', '/healthz', '/api/projects', '/anything'])
      expect(await asked(path, method), `${method} ${path}`).toBe(401)
  }
  const refused = await server.ask('/api/me', { token: null })
  expect(refused.headers['www-authenticate']).toBe('Bearer')
})

test('[SE2] an encoded path does not slip past the credential', async () => {
  const server = await openTestServer()
  for (const path of [
    '/%61pi/me',
    '/api%2Fme',
    '//api/me',
    '/./api/me',
    '/x/../api/me',
    '/api/me/',
    '/api/me;x',
    '/%2e/api/me',
  ]) {
    const answer = await server.ask(path, { token: null })
    expect([401, 404, 503], `${path} ${answer.status}`).toContain(answer.status)
    expect(answer.text).not.toContain('"scopes"')
  }
})

test('[SE2] with both a bearer and a cookie, the bearer counts', async () => {
  const server = await openTestServer()
  const login = await server.ask('/api/login', {
    method: 'POST',
    body: { token: server.ownerToken },
    token: null,
  })
  const cookie = String(login.headers['set-cookie']?.[0]).split(';')[0] ?? ''
  expect((await server.ask('/api/me', { token: null, headers: { cookie } })).status).toBe(200)
  expect((await server.ask('/api/me', { token: 'wrong', headers: { cookie } })).json.code).toBe(
    'authentication_failed',
  )
  for (const authorization of [
    'Bearer',
    'Bearer ',
    `Basic ${server.ownerToken}`,
    server.ownerToken,
    `Bearer ${'x'.repeat(600)}`,
  ]) {
    const answer = await server.ask('/api/me', { token: null, headers: { authorization } })
    expect([answer.status, answer.json.code], authorization.slice(0, 20)).toEqual([
      401,
      'authentication_failed',
    ])
  }
})

test('[SE17] port 80 allows the Host and Origin without a port', () => {
  const { check } = hostAndOrigin(80, null)
  const request = (host: string, origin: string) =>
    ({ url: '/', headers: { origin }, rawHeaders: ['Host', host] }) as never
  expect(() => check(request('localhost', 'http://localhost'))).not.toThrow()
  expect(() => check(request('localhost:80', 'http://127.0.0.1'))).not.toThrow()
  expect(() => check(request('localhost:80', 'http://localhost:80'))).toThrow(Refusal)
})

test('[SE2] an address that other machines reach is refused without a proxy in front', async () => {
  const server = await openTestServer({ behindProxy: true, listen: { host: '0.0.0.0', port: 0 } })
  expect((await server.ask('/healthz')).status).toBe(200)
  const parts = {
    logger: undefined as never,
    publicUrl: null,
    behindProxy: false,
    version: '0',
    pageFolder: null,
  }
  for (const host of ['0.0.0.0', '::', '192.168.1.7', 'holdfast.example.org', '2001:db8::1']) {
    expect(() => new HttpListener({ ...parts, listen: { host, port: 0 } }), host).toThrow(
      'without encryption',
    )
  }
})
