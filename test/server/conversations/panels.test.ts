/** Chat panels over HTTP (CH5): they are open as long as an event stream names them. */
import { expect, test } from 'vitest'
import { statement } from '../../../src/store/statement.ts'
import { nowhere } from '../../services/agent-sessions/agent-office.ts'
import { openChatStore, openRoom } from '../../services/conversations/chat-room.ts'
import { panelLooks } from '../../support/due-work.ts'
import { type EventClient, followEvents } from '../../support/feed-clients.ts'
import { openTestServer } from '../../support/server.ts'

const selectSeen = statement()((db) =>
  db.selectFrom('panels').select(['panel_id', 'seen_at']).orderBy('panel_id'),
)

async function open() {
  const testStore = await openChatStore()
  const server = await openTestServer({ testStore })
  const { store, clock } = testStore
  const room = await openRoom(store)
  const sweeper = panelLooks({ store, clock, logger: nowhere })
  await sweeper.run()
  const seen = async (): Promise<Record<string, number>> => {
    const rows = await store.read((reader) => reader.all(selectSeen, {}))
    return Object.fromEntries(rows.map((row) => [row.panel_id, Date.parse(row.seen_at) - started]))
  }
  const started = clock.now()
  const openStreams = async (): Promise<number> =>
    Number(/^holdfast_event_streams_open (\d+)$/m.exec((await server.ask('/metrics')).text)?.[1])
  return {
    server,
    clock,
    room,
    seen,
    start: (panelId: string) =>
      server.ask(`/api/projects/${room.projectId}/chat/start?agentId=ann&panelId=${panelId}`, {
        method: 'POST',
      }),
    end: (query = '') =>
      server.ask(`/api/projects/${room.projectId}/agents/ann/chat/end${query}`, { method: 'POST' }),
    follow: (panels: string) =>
      followEvents({ port: server.port, token: server.ownerToken, streams: 'home', panels }),
    /** The client is gone, and the server knows it. */
    cut: async (client: EventClient) => {
      const before = await openStreams()
      client.close()
      await expect.poll(openStreams, soon).toBe(before - 1)
    },
    state: async () =>
      (await server.ask(`/api/agent-sessions?projectId=${room.projectId}`)).json.items[0]?.state,
    /**
     * A machine that is awake: the sweeper looks every two seconds, and what is sent leaves
     * meanwhile.
     */
    pass: async (ms: number) => {
      for (let left = ms; left > 0; left -= 2000) {
        clock.advance(Math.min(left, 2000))
        await sweeper.run()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

const minute = 60_000
const soon = { interval: 5 }

test('[CH13] the stream of a page names its panels: they are seen when it begins and every 20 s, and not after it ended', async () => {
  const { clock, start, follow, seen, pass, cut } = await open()
  await start('a')
  await start('b')
  const stream = await follow('a,b')
  clock.advance(1000)
  await expect.poll(seen, soon).toEqual({ a: 1000, b: 1000 })
  await pass(19_000)
  await expect.poll(seen, soon).toEqual({ a: 20_000, b: 20_000 })
  await pass(20_000)
  await expect.poll(seen, soon).toEqual({ a: 40_000, b: 40_000 })
  const second = await follow('b')
  await cut(stream)
  await pass(20_000)
  await expect.poll(seen, soon).toEqual({ a: 40_000, b: 60_000 })
  await cut(second)
})

test('[CH13] a tab that crashes leaves its session for a minute, then it is closed; a second tab keeps it', async () => {
  const { room, start, follow, state, pass, cut } = await open()
  await start('a')
  await room.begin()
  await start('b')
  const [first, second] = [await follow('a'), await follow('b')]
  await pass(minute)
  await cut(first)
  await pass(2 * minute)
  expect(await state()).toBe('active')
  await cut(second)
  await pass(2 * minute)
  expect(await state()).toBe('terminating')
})

test('[CH13] a panel that no stream ever names lapses the same way', async () => {
  const { room, start, state, pass } = await open()
  await start('script')
  await room.begin()
  await pass(minute - 2000)
  expect(await state()).toBe('active')
  await pass(2000)
  expect(await state()).toBe('terminating')
})

test('[CH5] chat/end closes the panel that is named, soon or at once, and all without a name', async () => {
  const { room, start, end, state } = await open()
  await start('a')
  await room.begin()
  await start('b')
  expect((await end('?panelId=a')).json.agentSession).toMatchObject({ state: 'active' })
  expect((await end('?panelId=b&soon=true')).json.agentSession).toMatchObject({ state: 'active' })
  expect((await end()).json.agentSession).toMatchObject({ state: 'terminating' })
  expect(await state()).toBe('terminating')
})

test('[HT2] a name that is none is refused, and so are too many', async () => {
  const { server, start, end, seen } = await open()
  expect((await start('a%20b')).json).toMatchObject({ status: 400, code: 'invalid_request' })
  expect((await start('')).json.code).toBe('invalid_request')
  expect((await end('?panelId=a%2Cb')).json.code).toBe('invalid_request')
  expect((await end('?soon=perhaps')).json.code).toBe('invalid_request')
  for (const panels of ['', 'a,,b', Array.from({ length: 51 }, (_, index) => `p${index}`).join()])
    expect((await server.ask(`/api/events?streams=home&panels=${panels}`)).json.code, panels).toBe(
      'invalid_request',
    )
  expect(await seen()).toEqual({})
})

test('[CH4] a beacon with an empty text closes the panel too; one with words in it is refused', async () => {
  const { server, room } = await open()
  const path = `/api/projects/${room.projectId}/agents/ann/chat/end`
  const beacon = (body: string) =>
    server.ask(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
    })
  expect((await beacon('')).status).toBe(200)
  expect((await beacon('x')).json).toMatchObject({ status: 415, code: 'unsupported_media_type' })
})
