/**
 * Server-sent events: from the heads, from a cursor, from a snapshot; nothing missed, nothing
 * twice.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { watchEvents } from '../../../src/client/event-stream.ts'
import { createToken } from '../../../src/services/access/change-access.ts'
import { encodeCursor } from '../../../src/store/page-cursor.ts'
import { ownerWho } from '../../services/projects/installation.ts'
import { followEvents, openSocket } from '../../support/feed-clients.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const create = async (server: TestServer, name: string) => {
  const answer = await server.ask('/api/projects', { method: 'POST', body: { name } })
  expect(answer.status).toBe(201)
  return answer.json
}

const follow = (
  server: TestServer,
  streams: string,
  more: { after?: string; lastEventId?: string } = {},
) => followEvents({ port: server.port, token: server.ownerToken, streams, ...more })

test('[HT6] without a cursor a reader starts at the heads and gets what happens from then on', async () => {
  const server = await openTestServer()
  await create(server, 'before')
  const reader = await follow(server, 'home')
  expect(reader.response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  const project = await create(server, 'after')
  const { id, event, data } = await reader.next()
  expect(event).toBe('project-created')
  expect(data).toEqual({
    type: 'project-created',
    stream: 'home',
    seq: 2,
    at: project.createdAt,
    data: { project, by: 'owner' },
  })
  expect(id).toBe(encodeCursor(server.store.incarnation, new Map([['home', 2]])))
})

test('[HT6] Last-Event-ID resumes behind the last event seen, and counts more than `after`', async () => {
  const server = await openTestServer()
  const start = (await server.ask('/api/snapshot?streams=home')).json.cursor
  for (const name of ['one', 'two', 'three']) await create(server, name)
  const first = await follow(server, 'home', { after: start })
  const seen = [await first.next(), await first.next()]
  first.close()
  const second = await follow(server, 'home', { after: start, lastEventId: seen[1]?.id })
  const { data } = await second.next()
  expect([...seen.map((each) => each.data.seq), data.seq]).toEqual([1, 2, 3])
})

test('[HT6] a reader that was cut off before its first event resumes where it began', async () => {
  const server = await openTestServer()
  await create(server, 'before')
  const first = await follow(server, 'home')
  await first.inbox.until(() => first.text().includes('\n\n'))
  const [, begin = ''] = /^id: (.+)$/m.exec(first.text()) ?? []
  first.close()
  await create(server, 'meanwhile')
  const second = await follow(server, 'home', { lastEventId: begin })
  expect((await second.next()).data.seq).toBe(2)
})

test('[HT6] an `also` copy points to its event, and the cursor covers every stream followed', async () => {
  const server = await openTestServer()
  const project = await create(server, 'p')
  const stream = `project:${project.id}`
  const start = (await server.ask(`/api/snapshot?streams=home,${stream}`)).json.cursor
  await server.ask(`/api/projects/${project.id}`, { method: 'PATCH', body: { name: 'q' } })
  const reader = await follow(server, `home,${stream}`, { after: start })
  const both = [await reader.next(), await reader.next()]
  const copy = both.find(({ data }) => data.ref)
  expect(copy?.data).toMatchObject({ type: 'project-changed', ref: { seq: expect.any(Number) } })
  expect(copy?.data).not.toHaveProperty('data')
  const last = both[1]?.id ?? ''
  reader.close()
  await create(server, 'later')
  const again = await follow(server, `home,${stream}`, { lastEventId: last })
  expect((await again.next()).data).toMatchObject({ type: 'project-created', stream: 'home' })
})

test.each([
  ['of another incarnation', () => encodeCursor('another', new Map([['home', 1]]))],
  ['that is no cursor', () => 'rubbish!'],
  [
    'above the head',
    ({ store }: TestServer) => encodeCursor(store.incarnation, new Map([['home', 99]])),
  ],
  [
    'that misses the stream',
    ({ store }: TestServer) => encodeCursor(store.incarnation, new Map([['project:x', 0]])),
  ],
])('[HT6] a cursor %s gets one snapshot first, then goes on live', async (_, cursor) => {
  const server = await openTestServer()
  const project = await create(server, 'p')
  const reader = await follow(server, 'home', { after: cursor(server) })
  const snapshot = await reader.next()
  expect(snapshot.event).toBe('snapshot')
  expect(snapshot.data.state.home.projects).toEqual([project])
  expect(snapshot.data.cursor).toBe(snapshot.id)
  await create(server, 'q')
  expect(await reader.next()).toMatchObject({ event: 'project-created', data: { seq: 2 } })
  expect(reader.inbox.all.map(({ event }) => event)).toEqual(['snapshot', 'project-created'])
})

test('[HT6] only the streams a cursor cannot serve come as a snapshot; the others go on from where it was', async () => {
  const server = await openTestServer()
  const start = (await server.ask('/api/snapshot?streams=home')).json.cursor
  const project = await create(server, 'p')
  const reader = await follow(server, `home,project:${project.id}`, { after: start })
  const [first, second] = [await reader.next(), await reader.next()]
  expect(first?.event).toBe('snapshot')
  expect(Object.keys(first?.data.state)).toEqual([`project:${project.id}`])
  expect(second).toMatchObject({ event: 'project-created', data: { stream: 'home', seq: 1 } })
})

test('[HT6] a reader of as many and as long streams as there may be resumes with the cursor it was given', async () => {
  const server = await openTestServer()
  const keys = Array.from(
    { length: 100 },
    (_, n) => `web:${String(n).padStart(3, '0')}${'議'.repeat(64)}`,
  )
  const streams = keys.map((key) => `conversation:${key}`).join(',')
  const { cursor } = (await server.ask(`/api/snapshot?streams=${encodeURIComponent(streams)}`)).json
  expect(cursor.length).toBeGreaterThan(25_000)
  const socket = await openSocket({ port: server.port, token: server.ownerToken })
  socket.send({ type: 'subscribe', streams: streams.split(','), after: cursor })
  expect(await socket.next()).toMatchObject({ type: 'subscribed' })
  // Addresses are longer still: so many fit into one.
  const some = keys.slice(0, 40).map((key) => `conversation:${key}`)
  const reader = await follow(server, some.join(','), { lastEventId: cursor })
  expect(reader.status).toBe(200)
})

test('[HT6] streams that have nothing yet may be followed; names that are none are refused', async () => {
  const server = await openTestServer()
  const reader = await follow(server, 'project:later,conversation:none:1')
  expect(reader.status).toBe(200)
  for (const streams of ['', 'nonsense', 'home,', 'project:', `project:${'x'.repeat(400)}`]) {
    const answer = await server.ask(`/api/events?streams=${streams}`)
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request'])
  }
  const many = Array.from({ length: 101 }, (_, index) => `project:${index}`).join(',')
  expect((await server.ask(`/api/events?streams=${many}`)).json).toMatchObject({
    code: 'invalid_request',
    max: 100,
  })
  expect((await server.ask('/api/events?streams=coordinator:x')).status).toBe(404)
})

test('[RL5] [SC3] a comment every 5 seconds shows that the server is there', async () => {
  const server = await openTestServer()
  const reader = await follow(server, 'home')
  const beats = () => reader.text().split(':\n\n').length - 1
  for (let beat = 1; beat <= 6; beat++) {
    server.clock.advance(5000)
    await reader.inbox.until(() => beats() >= beat)
  }
  expect(beats()).toBe(6)
})

test('[HT6] the name of a stream may hold a comma and a percent sign: inside a name they are %2C and %25', async () => {
  const server = await openTestServer()
  const keys = ['slack:a,b', 'slack:100%', 'slack:50%2C', 'slack:plain']
  for (const key of keys) await server.ask('/api/conversations', { method: 'POST', body: { key } })
  const streams = encodeURIComponent(
    'conversation:slack:a%2cb,conversation:slack:100%,conversation:slack:50%252C',
  )
  const { json } = await server.ask(`/api/snapshot?streams=${streams}`)
  expect(
    Object.values<{ conversation: { key: string } }>(json.state).map(
      ({ conversation }) => conversation.key,
    ),
  ).toEqual(keys.slice(0, 3))
  expect((await server.ask('/api/snapshot?streams=conversation:slack:a,b')).json).toMatchObject({
    status: 400,
    field: 'streams',
  })
  const client = createClient({ url: server.url, token: server.ownerToken })
  const seen: string[] = []
  const live = Promise.withResolvers<void>()
  const all = Promise.withResolvers<void>()
  const watch = watchEvents(client, {
    streams: keys.map((key) => `conversation:${key}`),
    onEvent: (event) => {
      seen.push(event.stream)
      if (seen.length === keys.length) all.resolve()
    },
    onSnapshot: () => {},
    onState: ({ state }) => state === 'live' && live.resolve(),
  })
  onTestFinished(() => watch.close())
  await live.promise
  for (const key of keys) {
    const path = `/api/conversations/${encodeURIComponent(key)}/messages`
    expect(
      (await server.ask(path, { method: 'POST', body: { role: 'user', content: 'x' } })).status,
    ).toBe(201)
  }
  await all.promise
  expect(seen).toEqual(keys.map((key) => `conversation:${key}`))
})

test('[SE8] a reader that has gone while it was looked up who it is leaves nothing open behind', async () => {
  const server = await openTestServer()
  const { store } = server
  const { token } = await store.run(createToken, {
    name: 's',
    kind: 'script',
    scopes: ['read'],
    by: ownerWho,
  })
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { query } = store
  const held: typeof store.query = async (question, input) => {
    ask()
    await answered
    return query.call(store, question as never, input) as never
  }
  store.query = held
  const socket = connect(server.port, '127.0.0.1')
  const host = `127.0.0.1:${server.port}`
  socket.write(
    `GET /api/events?streams=home HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  await asked
  socket.resetAndDestroy()
  await once(socket, 'close')
  // The server, which answers these behind it, has seen it go.
  for (let round = 0; round < 3; round++) await server.ask('/healthz')
  store.query = query
  answer()
  await create(server, 'behind it')
  const { text } = await server.ask('/metrics')
  expect(text).toContain('holdfast_event_streams_open 0\n')
})
