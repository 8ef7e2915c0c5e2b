/**
 * Readers that are cut off at any moment, while others write: every event once, in order (HT6,
 * RL5).
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCursor } from '../../../src/store/page-cursor.ts'
import { followEvents, openSocket } from '../../support/feed-clients.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const runs = { numRuns: 8, seed: 7 }
const writes = 40

interface Seen {
  readonly stream: string
  readonly seq: number
}

async function write(server: TestServer, projectId: string): Promise<void> {
  for (let round = 0; round < writes; round += 4) {
    await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        server.ask(`/api/projects/${projectId}`, {
          method: 'PATCH',
          body: { name: `name ${round + index}` },
        }),
      ),
    )
  }
}

async function prepare(server: TestServer) {
  const project = (await server.ask('/api/projects', { method: 'POST', body: { name: 'p' } })).json
  const streams = ['home', `project:${project.id}`] as const
  const before = await server.store.positions(streams)
  const start = encodeCursor(
    server.store.incarnation,
    new Map(streams.map((stream, index) => [stream, before[index]?.head ?? 0])),
  )
  return { project, streams, start, before }
}

const dense = (seen: readonly Seen[], stream: string): number[] =>
  seen.filter((each) => each.stream === stream).map(({ seq }) => seq)
const from = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index)

/** How many events a reader takes before it is cut off. */
const cuts = fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 6 })

interface Reader {
  next(): Promise<Seen>
  close(): void
}

/** Makes a function that connects a reader, each time where the one before stopped. */
type Resuming = (
  server: TestServer,
  streams: readonly string[],
  start: string,
) => () => Promise<Reader>

/**
 * Asserts that readers which are cut off at random and resume see every event of every stream once.
 */
async function expectEachSeenOnce(resuming: Resuming): Promise<void> {
  const server = await openTestServer()
  await fc.assert(
    fc.asyncProperty(cuts, async (afterEach) => {
      const { project, streams, start, before } = await prepare(server)
      const writing = write(server, project.id)
      const seen: Seen[] = []
      const connect = resuming(server, streams, start)
      for (const count of [...afterEach, Number.POSITIVE_INFINITY]) {
        const reader = await connect()
        for (let taken = 0; taken < count && seen.length < writes * 2; taken++)
          seen.push(await reader.next())
        reader.close()
      }
      await writing
      for (const [index, stream] of streams.entries())
        expect(dense(seen, stream)).toEqual(from((before[index]?.head ?? 0) + 1, writes))
    }),
    runs,
  )
}

test('[HT6] an event stream that is cut off at random sees every event of every stream once', async () => {
  await expectEachSeenOnce(({ port, ownerToken: token }, streams, start) => {
    let lastEventId = start
    return async () => {
      const reader = await followEvents({ port, token, streams: streams.join(','), lastEventId })
      const next = async () => {
        const { id, data } = await reader.next()
        lastEventId = id
        return { stream: data.stream, seq: data.seq }
      }
      return { next, close: () => reader.close() }
    }
  })
}, 60_000)

test('[RL5] a WebSocket that is cut off at random resumes each stream from its own cursor and sees every event once', async () => {
  await expectEachSeenOnce(({ port, ownerToken: token }, streams, start) => {
    const cursors = new Map<string, string>()
    return async () => {
      const socket = await openSocket({ port, token })
      for (const stream of streams)
        socket.send({ type: 'subscribe', streams: [stream], after: cursors.get(stream) ?? start })
      const next = async () => {
        const { event, cursor } = await socket.next('event')
        cursors.set(event.stream, cursor)
        return { stream: event.stream, seq: event.seq }
      }
      return { next, close: () => socket.webSocket.terminate() }
    }
  })
}, 60_000)

test('[HT6] a hundred readers that join while others write have the same events, none twice', async () => {
  const server = await openTestServer()
  const { project, streams, start } = await prepare(server)
  const writing = write(server, project.id)
  const readers = await Promise.all(
    Array.from({ length: 100 }, () =>
      followEvents({
        port: server.port,
        token: server.ownerToken,
        streams: streams.join(','),
        lastEventId: start,
      }),
    ),
  )
  await writing
  for (const reader of readers) {
    await reader.inbox.until(() => reader.inbox.all.length >= writes * 2)
    const seen = reader.inbox.all.map(({ data }) => data as Seen)
    expect(seen).toHaveLength(writes * 2)
    for (const stream of streams) {
      const seqs = dense(seen, stream)
      expect(seqs).toEqual(from(seqs[0] ?? 0, writes))
    }
  }
})
