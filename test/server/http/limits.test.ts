/** Limits everywhere (SE8). */
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { signInRules } from '../../../src/domain/access/sign-in-rules.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import type { Route } from '../../../src/protocol/route.ts'
import { routes } from '../../../src/protocol/routes.ts'
import { HttpListener } from '../../../src/server/http/http-listener.ts'
import {
  Connections,
  maxConnectionsPerCredential,
  type OpenConnection,
} from '../../../src/server/live/connections.ts'
import { Tails } from '../../../src/server/live/tail.ts'
import { clientAddress } from '../../../src/server/security/client-address.ts'
import { Credentials } from '../../../src/server/security/credentials.ts'
import { openTestServer } from '../../support/server.ts'

test('[SE8] a body over 1 MiB is refused with the limit, announced or not, and one of 1 MiB is read', async () => {
  const server = await openTestServer()
  const limit = 1024 * 1024
  const json = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`
  expect((await server.ask('/api/projects', { method: 'POST', body: json(limit) })).json.code).toBe(
    'invalid_request',
  )
  expect(
    (await server.ask('/api/projects', { method: 'POST', body: json(limit + 1) })).json,
  ).toMatchObject({
    code: 'too_large',
    limit,
  })
  const head = `POST /api/projects HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.ownerToken}\r\n`
  const chunk = `${(65536).toString(16)}\r\n${'x'.repeat(65536)}\r\n`
  const streamed = `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}0\r\n\r\n`
  expect(await server.raw(streamed)).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":"too_large"/)
})

test('[SE8] JSON may be 32 levels deep and no deeper; brackets inside strings do not count', async () => {
  const server = await openTestServer()
  const nested = (levels: number) =>
    `{"name":"p","settings":${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels - 1)}}`
  const detail = async (body: string) =>
    (await server.ask('/api/projects', { method: 'POST', body })).json.detail
  expect(await detail(nested(33))).toContain('deeper than 32')
  expect(await detail(nested(32))).not.toContain('deeper')
  const name = '[{'.repeat(50)
  expect(
    (await server.ask('/api/projects', { method: 'POST', body: { name: `${name}\\"[[` } })).status,
  ).toBe(201)
})

test('[SE8] headers over 64 KiB are refused as a problem', async () => {
  const server = await openTestServer()
  const answer = await server.raw(
    `GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":"too_large"/)
})

test('[SE8] a credential has at most 5,000 connections; another one still gets in', async () => {
  const { store, clock, ownerToken, ask } = await openTestServer()
  const logger = undefined as never
  const [addressOf, rules] = [clientAddress([]), signInRules(30, 90)]
  const credentials = new Credentials({
    store,
    clock,
    logger,
    ownerTokenHash: ownerToken,
    publicUrl: null,
    addressOf,
    rules,
  })
  const connections = new Connections({
    store,
    clock,
    credentials,
    tails: new Tails({ store, clock, logger }),
  })
  const who = (await ask('/api/me')).json
  const connection = (credentialId: string): OpenConnection => ({
    kind: 'websocket',
    presented: { who: { ...who, credentialId, expiresAt: null }, hash: ownerToken },
    waitingBytes: 0,
    look: () => 0,
    beat: () => {},
    end: () => {},
    cut: () => {},
  })
  const open = Array.from({ length: maxConnectionsPerCredential }, () => connection('one'))
  for (const each of open) {
    connections.admit(each.presented)
    connections.add(each)
  }
  expect(() => connections.admit(connection('one').presented)).toThrow('At most 5000')
  expect(() => connections.admit(connection('other').presented)).not.toThrow()
  for (const each of open.slice(0, 1)) connections.remove(each)
  expect(() => connections.admit(connection('one').presented)).not.toThrow()
})

test('[SE8] who sends only part of a request is told that it took too long; into a connection opened ahead of need nothing is said', async () => {
  const parts = {
    listen: { host: '127.0.0.1', port: 0 },
    publicUrl: null,
    behindProxy: false,
    version: '0',
    pageFolder: null,
  }
  const { server, gate } = new HttpListener({
    logger: createLogger({ level: 'error', format: 'json' }),
    ...parts,
  })
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const heard = async (sent: string): Promise<string> => {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const client = connect(port, '127.0.0.1', () => client.write(sent))
    const [socket] = await accepted
    await expect.poll(() => socket.bytesRead).toBe(sent.length)
    // What Node says when its time for headers is over.
    gate.brokenHttp({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket)
    return text(client)
  }
  expect(await heard('GET / HT')).toContain('The request took too long to arrive')
  expect(await heard('')).toBe('')
})

test('[SE8] a body that is broken off is no error of ours: told at info, without a stack, and not each time', async () => {
  const server = await openTestServer()
  const attempts = 100
  const head = `POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`
  const seen = async (): Promise<number> => {
    const { text } = await server.ask('/metrics')
    return Number(/^holdfast_refused_total\{code="invalid_request"\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  for (let attempt = 0; attempt < attempts; attempt++)
    await new Promise<void>((resolve) => {
      const socket = connect({ port: server.port, host: '127.0.0.1' }, () =>
        socket.write(head, () => socket.destroy()),
      )
      socket.once('close', () => resolve())
    })
  await vi.waitFor(async () => expect(await seen()).toBeGreaterThanOrEqual(attempts), {
    timeout: 30_000,
  })
  expect(server.log()).not.toContain('"level":"error"')
  expect(server.log()).not.toContain('abortIncoming')
  expect(server.log().match(/"msg":"Refused"/g)?.length ?? 0).toBeLessThanOrEqual(60)
})

test('[SE8] bodies are of 1 MiB at most but where the rule says otherwise', () => {
  const larger = Object.entries<Route>(routes).flatMap(([operation, { bodyLimit, upload }]) => {
    const limit = upload ?? bodyLimit
    return limit === undefined ? [] : [[operation, limit]]
  })
  const mebibyte = 1024 * 1024
  expect(Object.fromEntries(larger)).toEqual({
    putArtifact: 100 * mebibyte,
    restoreWorkSession: 32 * mebibyte,
    importConversation: 6_000_000 + mebibyte,
    takePastSession: 32 * mebibyte,
  })
})
