/**
 * Coming back (RL4): after any cut, on any device, after a restart of the server; nothing missed,
 * nothing twice.
 */
import { expect, test } from 'vitest'
import { userSessionStream } from '../../../src/domain/stream-name.ts'
import { createUserSession } from '../../../src/services/flows/consoles/change-user-session.ts'
import { findLongStreams, trimStream } from '../../../src/services/system/sweep-expired.ts'
import { chance } from '../../faults/random.ts'
import { exited } from '../../services/processes/launch-pad.ts'
import { openSocket, type SocketClient } from '../../support/feed-clients.ts'
import {
  type Console,
  type InSession,
  openConsole,
  playMachine,
  said,
  turnEnded,
} from '../../support/relay.ts'
import { openTestServer } from '../../support/server.ts'
import { openTestStore } from '../../support/store.ts'

interface Message {
  readonly type: string
  readonly seq: number
}

/** The whole log as the server has it. */
async function logOf(room: Console, { sessionId: id }: InSession): Promise<Message[]> {
  const events = await room.server.store.eventsAfter(`user-session:${id}`, 0, 100_000)
  return events.map(({ type, seq, at, data }) => ({
    type,
    sessionId: id,
    seq,
    timestamp: at,
    ...JSON.parse(data ?? '{}'),
  }))
}

const eventsIn = (client: SocketClient): Message[] =>
  client.inbox.all.filter((message) => message.seq !== undefined)

test('[RL4] a hundred cuts at random moments of many turns: what was seen is the log of the server, in order', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  const random = chance('cuts')
  const seen: Message[] = []
  let cuts = 0
  let total = Number.POSITIVE_INFINITY
  const device = (async () => {
    while (seen.length < total) {
      const socket = await room.client()
      socket.send({ type: 'session:resume', ...inside, lastSeq: seen.at(-1)?.seq ?? 0 })
      const before = seen.length
      const enough = before + random.below(5)
      await socket.inbox.until(() => {
        for (const message of eventsIn(socket).slice(seen.length - before, enough - before))
          seen.push(message)
        return seen.length >= Math.min(enough, total)
      })
      socket.webSocket.terminate()
      cuts++
    }
  })()
  const say = (content: string) =>
    client.send({ type: 'agent:message', ...inside, role: 'auth', content })
  for (let turn = 0; turn < 25; turn++) {
    say(`turn ${turn}`)
    const { turnId } = await machine.turn()
    for (const pieces of [
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f', 'g'],
    ])
      await machine.tell(...pieces.map((text) => said(launchId, turnId, text)))
    await machine.tell(turnEnded(launchId, turnId))
  }
  say('the last')
  total = (await client.inbox.next(({ content }) => content?.[0]?.text === 'the last')).seq
  say('one more')
  await device
  const log = await logOf(room, inside)
  expect(cuts).toBeGreaterThanOrEqual(100)
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  expect(seen.slice(0, total)).toEqual(log.slice(0, total))
  // Who was never cut off has seen the same.
  await client.inbox.until(() => eventsIn(client).length >= log.length)
  expect(eventsIn(client)).toEqual(log)
})

test('[RL4] without a number it begins with a snapshot: state, agents, what runs with its text so far, what was answered', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'first' })
  await machine.answer('The ', 'answer')
  for (const content of ['second', 'third'])
    client.send({ type: 'agent:message', ...inside, role: 'auth', content })
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'so '), said(launchId, turnId, 'far'))
  await client.inbox.until(() => eventsIn(client).some(({ seq }) => seq === 11))
  const phone = await room.client()
  phone.send({ type: 'session:resume', ...inside, requestId: 'r' })
  expect(await phone.next()).toEqual({
    type: 'session:resumed',
    ...inside,
    headSeq: 11,
    requestId: 'r',
  })
  const snapshot = await phone.next()
  expect(snapshot).toMatchObject({
    type: 'session:snapshot',
    ...inside,
    requestId: 'r',
    atSeq: 11,
    state: 'ACTIVE',
    projectId: room.projectId,
    agents: [
      {
        role: 'auth',
        state: 'ACTIVE',
        branch: 'holdfast/1/auth',
        turn: { messageId: turnId, text: 'so far', content: [{ text: 'second' }] },
        queue: [{ position: 1, content: [{ text: 'third' }] }],
      },
    ],
    turns: [{ state: 'answered', text: 'The answer', stopReason: 'end_turn' }],
  })
  expect(snapshot).not.toHaveProperty('seq')
  await machine.tell(said(launchId, turnId, '!'))
  expect(await phone.next()).toMatchObject({ type: 'agent:update', seq: 12 })
  // A number from the future is one that cannot be served.
  phone.send({ type: 'session:resume', ...inside, lastSeq: 999 })
  expect(await phone.next('session:snapshot')).toMatchObject({ atSeq: 12 })
})

test('[RL4] the part of a stream that is older than a day is trimmed down to ten thousand; whoever asks for it gets a snapshot first, then what follows', async () => {
  const room = await openConsole()
  const { store, clock } = room.server
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'long' })
  const { turnId } = await machine.turn()
  for (let batch = 0; batch < 46; batch++)
    await machine.tell(...Array.from({ length: 250 }, () => said(launchId, turnId, 'x')))
  await machine.tell(turnEnded(launchId, turnId))
  const stream = userSessionStream(inside.sessionId)
  const trim = async () => {
    for (const long of await store.query(findLongStreams, {}))
      while ((await store.run(trimStream, { stream: long })).more);
    return (await store.positions([stream]))[0]
  }
  expect(await trim()).toEqual({ head: 11_505, floor: 0 })
  clock.advance(25 * 3_600_000)
  expect(await trim()).toEqual({ head: 11_505, floor: 1505 })
  expect(await store.eventsAfter(stream, 0, 1)).toMatchObject([{ seq: 1506 }])
  const late = await room.client()
  late.send({ type: 'session:resume', ...inside, lastSeq: 1504 })
  expect(await late.next()).toMatchObject({ type: 'session:resumed', headSeq: 11_505 })
  expect(await late.next()).toMatchObject({
    type: 'session:snapshot',
    atSeq: 11_505,
    turns: [{ text: 'x'.repeat(11_500) }],
  })
  const intime = await room.client()
  intime.send({ type: 'session:resume', ...inside, lastSeq: 1505 })
  await intime.next('session:resumed')
  expect(await intime.next()).toMatchObject({ type: 'agent:update', seq: 1506 })
  await expect(store.run(trimStream, { stream: 'home' })).resolves.toEqual({
    trimmed: 0,
    more: false,
  })
})

test('[RL4] the server is stopped and started in the middle of a turn: whoever comes back misses nothing, and the turn goes on', async () => {
  const testStore = await openTestStore()
  const first = await openConsole({ testStore })
  const { client, machine, inside, launchId } = await first.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'x' })
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'before '))
  await client.next('agent:update')
  await first.server.server.close()
  expect(await client.closed).toMatchObject({ code: 1012 })
  const server = await openTestServer({ testStore })
  const again = await playMachine(server, machine.id, first.token)
  expect(again.welcome).toMatchObject({ epoch: 1 })
  expect(Object.values(again.snapshot.state)).toMatchObject([{ turns: [{ turnId }] }])
  await again.tell(said(launchId, turnId, 'after'), turnEnded(launchId, turnId))
  const back = await openSocket({ port: server.port, token: server.ownerToken })
  back.send({ type: 'session:resume', ...inside, lastSeq: 5 })
  await back.next('session:resumed')
  expect(await back.next()).toMatchObject({
    type: 'agent:update',
    seq: 6,
    update: { text: 'after' },
  })
  expect(await back.next()).toMatchObject({
    type: 'agent:response',
    seq: 7,
    content: 'before after',
  })
})

test('[RL2] a request that comes again is not done again, whichever connection it comes on, and gets the same answer', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  const message = {
    type: 'agent:message',
    ...inside,
    role: 'auth',
    content: 'once',
    requestId: 'm',
  }
  client.send(message)
  const first = await client.next('agent:prompted')
  client.send(message)
  expect(await client.next()).toEqual(first)
  const phone = await room.client()
  phone.send(message)
  expect(await phone.next()).toEqual(first)
  const { turnId } = await machine.turn()
  expect(turnId).toBe(first.messageId)
  await machine.tell(turnEnded(launchId, turnId))
  expect(await phone.next()).toMatchObject({ type: 'agent:response', messageId: turnId })
  phone.send({ ...message, content: 'something else' })
  expect(await phone.next()).toMatchObject({
    type: 'error',
    code: 'idempotency_key_reused',
    requestId: 'm',
  })
  // A session is created once on its connection; on another one it is another.
  const create = { type: 'session:create', projectId: room.projectId, requestId: 'c' }
  client.send(create)
  const created = await client.next('session:created')
  client.send(create)
  expect(await client.next('session:created')).toEqual(created)
  phone.send(create)
  expect((await phone.next('session:created')).sessionId).not.toBe(created.sessionId)
  // An end that is still to come answers when it is there, however often it was asked for.
  const terminate = { type: 'agent:terminate', ...inside, role: 'auth', requestId: 't' }
  client.send(terminate)
  client.send(terminate)
  await machine.order('stop-ordered')
  await machine.tell(exited(launchId, { stopped: true }))
  const terminated = await client.next('agent:terminated')
  expect(terminated).toMatchObject({ requestId: 't', reason: 'user requested' })
  client.send(terminate)
  expect(await client.next('agent:terminated')).toEqual(terminated)
})

test('[RL2] a message that makes no sense gets an error with its code and the id of its request, and the connection stays up', async () => {
  const room = await openConsole()
  const client = await room.client()
  const inside = await room.created(client)
  const wrong: [unknown, object][] = [
    ['{"type": "agent:list"', { code: 'invalid_request' }],
    [
      { type: 'agent:lost', ...inside, requestId: 'x' },
      { code: 'unknown_type', detail: 'Did you mean agent:list?', requestId: 'x' },
    ],
    [
      { type: 'agent:spawn', ...inside, requestId: 'x' },
      { code: 'invalid_request', field: 'role', requestId: 'x' },
    ],
    [
      { type: 'agent:spawn', ...inside, role: ' ' },
      { code: 'invalid_request', field: 'role' },
    ],
    [
      { type: 'agent:spawn', ...inside, role: 'a', workspace: '' },
      { code: 'invalid_request', field: 'workspace' },
    ],
    [{ type: 'agent:spawn', ...inside, role: 'a', agentId: 'nobody' }, { code: 'agent_not_found' }],
    [
      { type: 'agent:spawn', sessionId: 'none', role: 'a', requestId: 'x' },
      { code: 'user_session_not_found', requestId: 'x' },
    ],
    [{ type: 'session:resume', sessionId: 'none', lastSeq: 0 }, { code: 'user_session_not_found' }],
    [
      { type: 'session:resume', ...inside, lastSeq: -1 },
      { code: 'invalid_request', field: 'lastSeq' },
    ],
    [
      { type: 'session:create', projectId: 'none', requestId: 'x' },
      { code: 'not_found', requestId: 'x' },
    ],
    [{ type: 'agent:message', ...inside, role: 'a', content: 'x' }, { code: 'agent_not_found' }],
    [{ type: 'agent:message', ...inside, role: 'a', content: '' }, { code: 'invalid_request' }],
    [
      { type: 'agent:message', ...inside, role: 'a', content: 'x'.repeat(1024 * 1024) },
      { code: 'too_large' },
    ],
    [{ type: 'agent:get', ...inside, role: 'a' }, { code: 'agent_not_found' }],
    [
      { type: 'permission:answer', ...inside, approvalId: 7, optionId: 'yes' },
      { code: 'not_found' },
    ],
    [{ type: 'permission:answer', ...inside, approvalId: 7 }, { code: 'invalid_request' }],
    [{ type: 'subscribe', streams: [`user-session:${inside.sessionId}`] }, { code: 'not_found' }],
  ]
  for (const [message, error] of wrong) {
    client.send(message)
    expect(await client.next(), JSON.stringify(message).slice(0, 200)).toMatchObject({
      type: 'error',
      ...error,
    })
  }
  client.send({ type: 'agent:list', ...inside, requestId: 'still here' })
  expect(await client.next()).toMatchObject({
    type: 'agent:list',
    agents: [],
    requestId: 'still here',
  })
})

test('[US3] a session is taken up from any device of its account, and is not there for another', async () => {
  const room = await openConsole()
  const { server, projectId } = room
  const add = async (name: string, role: string) =>
    (await server.ask('/api/people', { method: 'POST', body: { name, role } })).json
  const [mia, noa, viewer] = [
    await add('Mia', 'member'),
    await add('Noa', 'member'),
    await add('Vic', 'viewer'),
  ]
  const { userSessionId } = await server.store.run(createUserSession, { projectId, by: mia.id })
  const mine = { sessionId: userSessionId }
  const phone = await room.client(mia.token)
  phone.send({ type: 'session:resume', ...mine, lastSeq: 0 })
  expect(await phone.next()).toMatchObject({ type: 'session:resumed', headSeq: 1 })
  expect(await phone.next()).toMatchObject({ type: 'session:created', by: mia.id })
  const other = await room.client(noa.token)
  for (const message of [
    { type: 'session:resume', lastSeq: 0 },
    { type: 'agent:list' },
    { type: 'agent:spawn', role: 'a' },
    { type: 'session:terminate' },
  ]) {
    other.send({ ...message, ...mine })
    expect(await other.next()).toMatchObject({ type: 'error', code: 'user_session_not_found' })
  }
  const path = `/api/user-sessions/${userSessionId}`
  for (const method of ['GET', 'DELETE'])
    expect((await server.ask(path, { method, token: noa.token })).json).toMatchObject({
      code: 'user_session_not_found',
    })
  expect((await server.ask('/api/user-sessions', { token: noa.token })).json.items).toEqual([])
  expect((await server.ask('/api/user-sessions', { token: mia.token })).json.items).toMatchObject([
    { id: userSessionId },
  ])
  const looks = await room.client(viewer.token)
  looks.send({ type: 'session:create', projectId })
  expect(await looks.next()).toMatchObject({ type: 'error', code: 'missing_scope', scope: 'write' })
  expect((await server.ask(path, { method: 'DELETE', token: mia.token })).status).toBe(204)
  expect(await phone.next()).toMatchObject({ type: 'session:terminated', reason: 'user requested' })
})
