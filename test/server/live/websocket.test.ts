/** The WebSocket `/ws`: the frame every later message goes through. */
import { expect, test } from 'vitest'
import { encodeCursor } from '../../../src/store/page-cursor.ts'
import { openSocket } from '../../support/feed-clients.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const open = (server: TestServer) => openSocket({ port: server.port, token: server.ownerToken })
const create = async (server: TestServer, name: string) =>
  (await server.ask('/api/projects', { method: 'POST', body: { name } })).json

test('[RL2] subscribing is answered with the requestId, then events come with the cursor behind each', async () => {
  const server = await openTestServer()
  const socket = await open(server)
  socket.send({ type: 'subscribe', streams: ['home'], requestId: 'r1' })
  const subscribed = await socket.next()
  expect(subscribed).toEqual({
    type: 'subscribed',
    streams: ['home'],
    cursor: expect.any(String),
    requestId: 'r1',
  })
  const project = await create(server, 'p')
  const { event, cursor, ...rest } = await socket.next()
  expect(rest).toEqual({ type: 'event' })
  expect(event).toMatchObject({
    type: 'project-created',
    stream: 'home',
    seq: 1,
    data: { project },
  })
  await create(server, 'q')
  const second = await open(server)
  expect((await second.subscribe(['home'], cursor)).cursor).toBe(cursor)
  expect((await second.next('event')).event.seq).toBe(2)
  const third = await open(server)
  await third.subscribe(['home'], subscribed.cursor)
  expect([(await third.next('event')).event.seq, (await third.next('event')).event.seq]).toEqual([
    1, 2,
  ])
})

test('[RL2] a cursor that cannot be served: the answer carries none, a snapshot with the requestId does', async () => {
  const server = await openTestServer()
  const project = await create(server, 'p')
  const socket = await open(server)
  expect((await socket.subscribe(['home'], 'rubbish')).cursor).toBeNull()
  const snapshot = await socket.next()
  expect(snapshot).toMatchObject({
    type: 'snapshot',
    requestId: 'subscribe',
    streams: ['home'],
    state: { home: { projects: [project] } },
  })
  await create(server, 'q')
  expect((await socket.next()).event.seq).toBe(2)
})

test('[RL2] a snapshot that nobody asked for carries no requestId, whatever is being answered when it comes', async () => {
  const server = await openTestServer()
  const { store } = server
  const { id } = await create(server, 'p')
  const stream = `project:${id}` as const
  const task = { phase: 1, type: 'code', title: 't', description: '' }
  await server.ask(`/api/projects/${id}/tasks`, { method: 'POST', body: task })
  const [isAnswering, hasSnapshot] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // As if its beginning was trimmed meanwhile: what is next is not there any more, and the snapshot
  // comes in the middle of an answer.
  store.eventsAfter = async () => {
    await isAnswering.promise
    return []
  }
  const positions = store.positions.bind(store)
  store.positions = async (streams) => {
    if (streams[0] === 'project:other') {
      isAnswering.resolve()
      await hasSnapshot.promise
    }
    return positions(streams)
  }
  const slow = await open(server)
  await slow.subscribe([stream], encodeCursor(store.incarnation, new Map([[stream, 0]])))
  slow.send({ type: 'subscribe', streams: ['project:other'], requestId: 'other' })
  const snapshot = await slow.next()
  hasSnapshot.resolve()
  expect([snapshot.type, snapshot.requestId]).toEqual(['snapshot', undefined])
  expect(await slow.next()).toMatchObject({ type: 'subscribed', requestId: 'other' })
})

test('[RL2] after unsubscribing nothing comes any more, and other streams go on', async () => {
  const server = await openTestServer()
  const project = await create(server, 'p')
  const socket = await open(server)
  await socket.subscribe(['home', `project:${project.id}`])
  socket.send({ type: 'unsubscribe', streams: ['home'], requestId: 'u' })
  expect(await socket.next('unsubscribed')).toEqual({
    type: 'unsubscribed',
    streams: ['home'],
    requestId: 'u',
  })
  await create(server, 'unseen')
  await server.ask(`/api/projects/${project.id}`, { method: 'PATCH', body: { name: 'seen' } })
  expect((await socket.next('event')).event).toMatchObject({ stream: `project:${project.id}` })
  expect(socket.inbox.all.filter(({ event }) => event?.stream === 'home')).toEqual([])
})

test('[RL2] whatever is wrong with a message, the error says so and the connection stays up', async () => {
  const server = await openTestServer()
  const socket = await open(server)
  const tooDeep = `{"type":"subscribe","streams":${'['.repeat(40)}${']'.repeat(40)}}`
  const wrong: [message: unknown, code: string][] = [
    ['not json', 'invalid_request'],
    ['', 'invalid_request'],
    ['[]', 'invalid_request'],
    ['null', 'invalid_request'],
    [{}, 'invalid_request'],
    [{ type: 7 }, 'invalid_request'],
    [{ type: 'subscrib' }, 'unknown_type'],
    [{ type: 'constructor' }, 'unknown_type'],
    [{ type: '__proto__' }, 'unknown_type'],
    ['{"type":"subscribe","streams":["home"],"__proto__":{}}', 'invalid_request'],
    [{ type: 'subscribe' }, 'invalid_request'],
    [{ type: 'subscribe', streams: [] }, 'invalid_request'],
    [{ type: 'subscribe', streams: ['nonsense'] }, 'invalid_request'],
    [{ type: 'subscribe', streams: ['coordinator:c'] }, 'not_found'],
    [
      { type: 'subscribe', streams: Array.from({ length: 101 }, (_, index) => `project:${index}`) },
      'invalid_request',
    ],
    [tooDeep, 'invalid_request'],
    [`"${'x'.repeat(1024 * 1024)}"`, 'too_large'],
  ]
  for (const [message, code] of wrong) {
    socket.send(message)
    expect(await socket.next(), `${JSON.stringify(message).slice(0, 80)}`).toMatchObject({
      type: 'error',
      code,
      detail: expect.any(String),
    })
  }
  socket.send({ type: 'nothing', requestId: 'mine' })
  expect(await socket.next()).toMatchObject({
    type: 'error',
    code: 'unknown_type',
    requestId: 'mine',
  })
  socket.webSocket.send(Buffer.from('{"type":"subscribe","streams":["home"]}'), { binary: true })
  expect(await socket.next()).toMatchObject({ type: 'error', code: 'invalid_request' })
  expect((await socket.subscribe(['home'])).streams).toEqual(['home'])
})

test('[SE8] a message over 8 MiB closes the connection with 1009', async () => {
  const server = await openTestServer()
  const socket = await open(server)
  socket.send('x'.repeat(8 * 1024 * 1024 + 1))
  expect((await socket.closed).code).toBe(1009)
})

test('[SE8] no connection follows more than 100 streams, however many messages it takes', async () => {
  const server = await openTestServer()
  const socket = await open(server)
  await socket.subscribe(Array.from({ length: 100 }, (_, index) => `project:${index}`))
  socket.send({ type: 'subscribe', streams: ['home'] })
  expect(await socket.next('error')).toMatchObject({ code: 'invalid_request', max: 100 })
})

test('[RL5] the server pings every 15 seconds and drops a peer that is silent for two beats', async () => {
  const server = await openTestServer()
  const [alive, silent] = [await open(server), await open(server)]
  silent.webSocket.on('ping', () => {})
  // biome-ignore lint/suspicious/noExplicitAny: the one way to make a client that does not answer
  ;(silent.webSocket as any)._autoPong = false
  const pinged = (client: typeof alive) =>
    new Promise<void>((resolve) => client.webSocket.once('ping', () => resolve()))
  for (let beat = 0; beat < 2; beat++) {
    const both = Promise.all([pinged(alive), pinged(silent)])
    server.clock.advance(15_000)
    await both
    // The pong of the one that answers is on its way; an answered message behind it means it has
    // arrived.
    await alive.subscribe(['home'])
  }
  const third = pinged(alive)
  server.clock.advance(15_000)
  await third
  expect((await silent.closed).code).toBe(1006)
  expect(alive.webSocket.readyState).toBe(alive.webSocket.OPEN)
})

test("[RL5] a client's own ping is answered", async () => {
  const server = await openTestServer()
  const socket = await open(server)
  const pong = new Promise((resolve) =>
    socket.webSocket.once('pong', (data) => resolve(String(data))),
  )
  socket.webSocket.ping('hello')
  expect(await pong).toBe('hello')
})

test('[SE2] an upgrade needs a credential, an allowed Host, an allowed Origin and the path /ws', async () => {
  const server = await openTestServer()
  const { port, ownerToken: token } = server
  const refused = (options: object, why: string) =>
    expect(openSocket({ port, ...options })).rejects.toThrow(why)
  await refused({}, '401')
  await refused({ token: 'wrong' }, 'authentication_failed')
  await refused({ token, headers: { host: 'evil.example' } }, 'forbidden_host')
  await refused({ token, headers: { origin: 'http://evil.example' } }, 'forbidden_origin')
  await refused({ token, headers: { origin: 'null' } }, 'forbidden_origin')
  await refused({ token, path: '/api/projects' }, '404')
  await refused({ path: '/other' }, '401')
  await openSocket({ port, token, headers: { origin: `http://127.0.0.1:${port}` } })
})

test('[HT2] a handshake that cannot be read is answered as a problem, with the headers of every answer', async () => {
  const server = await openTestServer()
  const lines = [
    'GET /ws HTTP/1.1',
    `Host: 127.0.0.1:${server.port}`,
    `Authorization: Bearer ${server.ownerToken}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: too short',
  ]
  const answer = await server.raw(`${lines.join('\r\n')}\r\n\r\n`)
  expect(answer).toMatch(
    /^HTTP\/1\.1 400 [\s\S]*x-request-id: [0-9a-f-]{36}\r\n[\s\S]*"code":"invalid_request"/,
  )
  expect(answer).toContain("content-security-policy: default-src 'none'")
})

test('[SE17] an upgrade with the cookie needs an Origin', async () => {
  const server = await openTestServer()
  const { port } = server
  const login = await server.ask('/api/login', {
    method: 'POST',
    body: { token: server.ownerToken },
    token: null,
  })
  const cookie = String(login.headers['set-cookie']?.[0]).split(';')[0] ?? ''
  await expect(openSocket({ port, headers: { cookie } })).rejects.toThrow('forbidden_origin')
  const socket = await openSocket({ port, headers: { cookie, origin: `http://localhost:${port}` } })
  expect((await socket.subscribe(['home'])).streams).toEqual(['home'])
})

test('[SE3] streams need the scope read', async () => {
  const server = await openTestServer()
  const agent = await server.ask('/api/agents', {
    method: 'POST',
    body: { name: 'a', protocol: 'mcp' },
  })
  const socket = await openSocket({ port: server.port, token: agent.json.passkey })
  socket.send({ type: 'subscribe', streams: ['home'], requestId: 'r' })
  expect(await socket.next()).toMatchObject({
    type: 'error',
    code: 'missing_scope',
    scope: 'read',
    requestId: 'r',
  })
})
