/**
 * Chats and conversations over HTTP: names, statuses and shapes as clients are written against
 * them.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openChatStore, openRoom } from '../../services/conversations/chat-room.ts'
import { followEvents } from '../../support/feed-clients.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

async function open(agentIds?: string[]) {
  const testStore = await openChatStore()
  const server = await openTestServer({ testStore })
  const room = await openRoom(testStore.store, agentIds)
  const { projectId } = room
  const post = (body: object, more: { token?: string; headers?: Record<string, string> } = {}) =>
    server.ask('/api/chat', {
      method: 'POST',
      body: { projectId, toAgentId: 'ann', content: 'hi', ...body },
      ...more,
    })
  const list = async (query = '') =>
    (await server.ask(`/api/projects/${projectId}/agents/ann/messages${query}`)).json
  return { server, room, projectId, post, list }
}

async function cookieOf(server: TestServer): Promise<string> {
  const answer = await server.ask('/api/login', {
    method: 'POST',
    body: { token: server.ownerToken },
    token: null,
  })
  return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

describe('chat', () => {
  test('[UI1] what was said and not seen is unread for each person alone; a title that a person gave stays, and none is the first message', async () => {
    const { server, projectId, post } = await open()
    const { json: amy } = await server.ask('/api/people', {
      method: 'POST',
      body: { name: 'Amy', role: 'member' },
    })
    await post({ content: 'The first prompt' })
    const listed = async (token?: string) =>
      (await server.ask(`/api/conversations?projectId=${projectId}`, { ...(token && { token }) }))
        .json.items
    const at = `/api/conversations/${encodeURIComponent(`web:${projectId}.ann`)}`
    // One's own words are not news; to somebody else they are.
    expect(await listed()).toMatchObject([
      { opening: 'The first prompt', title: 'The first prompt', unread: false },
    ])
    expect(await listed(amy.token)).toMatchObject([{ unread: true }])
    const see = (seq: number) =>
      server.ask(`${at}/seen`, { method: 'PUT', body: { seq }, token: amy.token })
    const { seq } = (await listed())[0].lastMessage
    expect((await see(seq)).status).toBe(204)
    // Another device that is behind takes nothing back.
    expect((await see(seq - 1)).status).toBe(204)
    expect(await listed(amy.token)).toMatchObject([{ unread: false }])
    await post({ content: 'more' })
    expect(await listed(amy.token)).toMatchObject([{ unread: true }])
    expect(
      (await server.ask(at, { method: 'PATCH', body: { title: 'A good name' } })).json,
    ).toMatchObject({
      title: 'A good name',
    })
    expect(await listed()).toMatchObject([{ title: 'A good name' }])
    expect((await server.ask(at, { method: 'PATCH', body: { title: '' } })).status).toBe(400)
    expect((await server.ask('/api/conversations?projectId=another')).json.items).toEqual([])
  })

  test('[CH10] a message that says who wrote it is taken from nobody else', async () => {
    const { post, list, server } = await open()
    const { json: amy } = await server.ask('/api/people', {
      method: 'POST',
      body: { name: 'Amy', role: 'member' },
    })
    const refused = await post({ senderId: 'owner', clientId: 'c' }, { token: amy.token })
    expect(refused.json).toMatchObject({
      status: 401,
      code: 'authentication_failed',
      detail: expect.stringContaining('another user'),
    })
    expect((await list()).items).toEqual([])
    expect((await post({ senderId: 'owner', clientId: 'c' })).json).toMatchObject({
      senderId: 'owner',
    })
    expect((await post({ senderId: amy.id }, { token: amy.token })).json).toMatchObject({
      senderId: amy.id,
    })
  })

  test('[CH3] POST /api/chat answers 201 with the message, and the same for the same clientId', async () => {
    const { post, projectId, list } = await open()
    const sent = await post({ clientId: 'c1', priority: 'high', relatedTaskId: 'task_p1_code_001' })
    expect(sent.status).toBe(201)
    expect(sent.json).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      seq: expect.any(Number),
      projectId,
      senderId: 'owner',
      receiverId: 'ann',
      content: 'hi',
      visible: true,
      priority: 'high',
      clientId: 'c1',
      relatedTaskId: 'task_p1_code_001',
      relatedHandoffId: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const again = await post({
      clientId: 'c1',
      priority: 'high',
      relatedTaskId: 'task_p1_code_001',
    })
    expect([again.status, again.json]).toEqual([201, sent.json])
    expect((await post({ clientId: 'c1', content: 'other' })).json).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    })
    expect((await list()).items).toEqual([sent.json])
  })

  test('[HT4] an Idempotency-Key does the same', async () => {
    const { post, list } = await open()
    const headers = { 'idempotency-key': 'k1' }
    const [first, again] = [await post({}, { headers }), await post({}, { headers })]
    expect(again.json).toEqual(first.json)
    expect((await list()).items).toHaveLength(1)
  })

  test('[CH3] an agent that is unknown or not assigned is 404, a project that is unknown too; bad input is 400; nothing is stored', async () => {
    const { server, post, list } = await open()
    await server.ask('/api/agents', {
      method: 'POST',
      body: { id: 'zoe', name: 'zoe', protocol: 'mcp' },
    })
    for (const toAgentId of ['zoe', 'nobody', '..'])
      expect((await post({ toAgentId })).json.code, toAgentId).toBe('agent_not_found')
    expect((await post({ projectId: 'proj_none' })).json.code).toBe('not_found')
    expect((await post({ projectId: 'proj_none', toAgentId: null })).json.code).toBe('not_found')
    for (const bad of [
      { content: '' },
      { content: 'a\u0000b' },
      { content: 7 },
      { toAgentId: undefined },
      { toAgentId: 'a\u0000' },
      { priority: 'asap' },
      { clientId: '' },
      { clientId: 'x'.repeat(201) },
      { sender: 'somebody else' },
      { content: 'x'.repeat(500_001) },
    ])
      expect((await post(bad)).json, JSON.stringify(bad).slice(0, 60)).toMatchObject({
        status: 400,
        code: 'invalid_request',
      })
    expect((await list()).items).toEqual([])
  })

  test('[CH3] half a character is stored as the character that says so, everywhere alike', async () => {
    const { server, room, post, list } = await open()
    const sent = await post({ content: '🙂'.slice(0, 1) })
    expect(sent.json.content).toBe('\ufffd')
    expect((await list()).items).toEqual([sent.json])
    const { state } = (await server.ask(`/api/snapshot?streams=conversation:${room.key}`)).json
    expect(state[`conversation:${room.key}`].messages).toEqual([sent.json])
  })

  test('[CH6] toAgentId null writes to every agent of the project', async () => {
    const { server, post, projectId } = await open(['ann', 'ben'])
    expect((await post({ toAgentId: null })).json).toMatchObject({
      receiverId: null,
      content: 'hi',
    })
    for (const agentId of ['ann', 'ben']) {
      const { json } = await server.ask(`/api/projects/${projectId}/agents/${agentId}/messages`)
      expect(json.items).toMatchObject([{ receiverId: null, content: 'hi' }])
    }
  })

  test('[CH8] messages come newest first, 50 a page unless said otherwise, hidden ones only when asked for', async () => {
    const { server, post, list, projectId } = await open()
    await server.ask(`/api/projects/${projectId}/chat/start?agentId=ann`, { method: 'POST' })
    for (let n = 0; n < 52; n++) await post({ content: `m${n}` })
    const first = await list()
    expect(first.items.map((each: { content: string }) => each.content)).toEqual(
      Array.from({ length: 50 }, (_, n) => `m${51 - n}`),
    )
    const rest = await list(`?cursor=${first.nextCursor}`)
    expect([rest.items.map((each: { content: string }) => each.content), rest.nextCursor]).toEqual([
      ['m1', 'm0'],
      null,
    ])
    const hidden = await list(`?hidden=true&cursor=${first.nextCursor}`)
    expect(hidden.items.at(-1)).toMatchObject({ senderId: 'system', visible: false })
    for (const query of [
      '?limit=0',
      '?limit=201',
      '?hidden=maybe',
      '?cursor=nonsense',
      '?cursor=c2VxLTE',
    ])
      expect((await list(query)).code, query).toBe('invalid_request')
  })

  test('[CH11] two people see one order, live, and who wrote what', async () => {
    const { server, room, post } = await open()
    const { id, token } = (
      await server.ask('/api/people', { method: 'POST', body: { name: 'Mia', role: 'member' } })
    ).json
    const streams = `conversation:${room.key}`
    const follow = () => followEvents({ port: server.port, token: server.ownerToken, streams })
    const [one, other] = [await follow(), await follow()]
    await Promise.all([
      post({ content: 'a' }),
      post({ content: 'b' }, { token }),
      post({ content: 'c' }),
      post({ content: 'd' }, { token }),
    ])
    const seen: [number, string, string][][] = [[], []]
    for (const [index, reader] of [one, other].entries()) {
      for (let n = 0; n < 4; n++) {
        const { data } = await reader.next('message-added')
        expect(data.data.message.seq).toBe(data.seq)
        seen[index]?.push([data.seq, data.data.message.senderId, data.data.message.content])
      }
    }
    expect(seen[0]).toEqual(seen[1])
    expect(seen[0]?.map(([, sender, content]) => [content, sender]).sort()).toEqual([
      ['a', 'owner'],
      ['b', id],
      ['c', 'owner'],
      ['d', id],
    ])
  })

  test('[CH1] opening the panel answers the conversation and the session, if there is one', async () => {
    const { server, room, projectId } = await open()
    const start = (agentId: string) =>
      server.ask(`/api/projects/${projectId}/chat/start?agentId=${agentId}`, { method: 'POST' })
    const first = await start('ann')
    expect([first.status, first.json]).toEqual([
      200,
      { conversationKey: room.key, agentSession: null, launch: null },
    ])
    const { agentSessionId } = await room.begin()
    expect((await start('ann')).json).toMatchObject({
      agentSession: { id: agentSessionId, state: 'active', purpose: 'chat' },
    })
    expect((await start('nobody')).json.code).toBe('agent_not_found')
    expect(
      (await server.ask(`/api/projects/${projectId}/chat/start`, { method: 'POST' })).json.code,
    ).toBe('invalid_request')
  })

  test('[CH4] closing it is 200 with and without a session', async () => {
    const { server, room, projectId } = await open()
    const end = () =>
      server.ask(`/api/projects/${projectId}/agents/ann/chat/end`, { method: 'POST' })
    expect([(await end()).status, (await end()).json]).toEqual([200, { agentSession: null }])
    const { agentSessionId } = await room.begin()
    expect((await end()).json.agentSession).toMatchObject({
      id: agentSessionId,
      state: 'terminating',
    })
    expect((await end()).status).toBe(200)
  })

  test('[CH4] closing a panel works as a beacon: a cookie, an Origin, no body and no type; from another origin it does nothing', async () => {
    const { server, room, projectId } = await open()
    const cookie = await cookieOf(server)
    await room.begin()
    const path = `/api/projects/${projectId}/agents/ann/chat/end`
    const beacon = (origin: string) =>
      server.raw(
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\norigin: ${origin}\r\ncookie: ${cookie}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
      )
    expect(await beacon('https://evil.example')).toMatch(/^HTTP\/1.1 403 /)
    const answer = await beacon(server.url)
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
    expect(answer).toContain('"state":"terminating"')
  })

  test('[SE3] an agent cannot read or write chats over HTTP, and a viewer can only read', async () => {
    const { server, post, projectId } = await open()
    const { passkey } = (await server.ask('/api/agents/ann/passkey', { method: 'POST' })).json
    const person = { name: 'v', role: 'viewer' }
    const { token: viewer } = (await server.ask('/api/people', { method: 'POST', body: person }))
      .json
    const path = `/api/projects/${projectId}/agents/ann/messages`
    expect((await server.ask(path, { token: passkey })).status).toBe(403)
    expect((await post({}, { token: passkey })).status).toBe(403)
    expect((await server.ask(path, { token: viewer })).status).toBe(200)
    expect((await post({}, { token: viewer })).json).toMatchObject({
      code: 'missing_scope',
      scope: 'write',
    })
  })
})

describe('conversations', () => {
  const path = (key: string, rest = '') => `/api/conversations/${encodeURIComponent(key)}${rest}`

  test('[CV1] each operation has its route', async () => {
    const { server } = await open()
    const ask = async (method: string, to: string, body?: unknown) => {
      const { status, json } = await server.ask(to, { method, body })
      return [status, json]
    }
    const key = 'slack:C0123 設計'
    const [status, conversation] = await ask('POST', '/api/conversations', { key })
    const fresh = { key, summary: '', flags: {}, messageCount: 0 }
    expect([status, conversation]).toMatchObject([201, fresh])
    expect(await ask('POST', '/api/conversations', { key })).toEqual([200, conversation])
    const figures = { cost: null, doing: null, lines: null, opening: null }
    const marks = { unread: false, seen: 0, settled: true, archived: false, workplace: null }
    const turns = { activity: 'idle', waitsFor: null, paused: null }
    const whole = { ...conversation, ...turns, ...marks, ...figures }
    expect(await ask('GET', path(key))).toEqual([200, whole])
    expect(
      await ask('POST', path(key, '/messages'), { role: 'user', content: 'one', clientId: 'c' }),
    ).toMatchObject([201, { role: 'user', content: 'one', conversationKey: key }])
    await ask('POST', path(key, '/messages'), {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 1 }],
    })
    const [, history] = await ask('GET', path(key, '/messages'))
    expect(history.items.map((each: { content: string }) => each.content)).toEqual(['one', ''])
    expect(
      await ask('PUT', path(key, '/messages'), { messages: history.items.toReversed() }),
    ).toMatchObject([200, { messageCount: 2 }])
    const [, reversed] = await ask('GET', path(key, '/messages?limit=1'))
    expect(reversed).toMatchObject({
      items: [{ role: 'assistant', toolCalls: [{ id: 1 }] }],
      nextCursor: expect.any(String),
    })
    const [, second] = await ask(
      'GET',
      path(key, `/messages?limit=1&cursor=${reversed.nextCursor}`),
    )
    expect(second).toMatchObject({ items: [{ content: 'one' }], nextCursor: null })
    expect(await ask('PUT', path(key, '/summary'), { summary: 's' })).toMatchObject([
      200,
      { summary: 's' },
    ])
    expect(await ask('POST', path(key, '/truncate'), { keepLast: 1 })).toMatchObject([
      200,
      { messageCount: 1 },
    ])
    expect(await ask('POST', path(key, '/truncate'), { keepLast: -1 })).toMatchObject([
      400,
      { code: 'invalid_request' },
    ])
    expect(await ask('PUT', path(key, '/flags'), { localOnly: true, mine: 1 })).toEqual([
      200,
      { localOnly: true, mine: 1 },
    ])
    expect(await ask('GET', path(key, '/flags'))).toEqual([200, { localOnly: true, mine: 1 }])
    expect(await ask('POST', path(key, '/reset'))).toMatchObject([
      200,
      { summary: '', messageCount: 0, flags: { localOnly: true } },
    ])
    expect(await ask('GET', '/api/conversations')).toMatchObject([
      200,
      { items: [{ key }], nextCursor: null },
    ])
    const [, saved] = await ask('POST', path(key, '/save'))
    expect(saved.key).toBe(key)
    expect(JSON.parse(readFileSync(saved.path, 'utf8'))).toMatchObject({
      key,
      messages: [],
      flags: { local_only: true },
    })
    expect(await ask('DELETE', path(key))).toEqual([204, undefined])
    expect(await ask('GET', path(key))).toMatchObject([404, { code: 'not_found' }])
  })

  test('[CV1] an unknown key is 404 on every route, a bad one 422 before anything is written', async () => {
    const { server } = await open()
    const attempts: [method: string, rest: string, body?: unknown][] = [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/messages'],
      ['POST', '/messages', { role: 'user', content: 'x' }],
      ['PUT', '/messages', { messages: [] }],
      ['PUT', '/summary', { summary: 's' }],
      ['POST', '/truncate', { keepLast: 0 }],
      ['POST', '/reset'],
      ['POST', '/save'],
      ['GET', '/flags'],
      ['PUT', '/flags', {}],
    ]
    for (const [method, rest, body] of attempts) {
      const unknown = await server.ask(path('telegram:404', rest), { method, body })
      expect([unknown.status, unknown.json.code], `${method} ${rest}`).toEqual([404, 'not_found'])
      const bad = await server.ask(path('a:../../etc', rest), { method, body })
      expect([bad.status, bad.json.code], `${method} ${rest}`).toEqual([422, 'invalid_key'])
    }
    for (const key of ['..', 'x', 'a:b/c', 'a:\u0000', 'a:nul', `a:${'é'.repeat(100)}`]) {
      const { status, json } = await server.ask('/api/conversations', {
        method: 'POST',
        body: { key },
      })
      expect([status, json.code], key).toEqual([422, 'invalid_key'])
    }
    expect((await server.ask('/api/conversations')).json.items).toEqual([])
  })
})
