/**
 * The relay on the wire: real WebSockets, a machine played over the link, from the first message to
 * the last.
 */
import { expect, test } from 'vitest'
import { openConsole, readyAgent, said, turnEnded, update } from '../../support/relay.ts'

test('[RL1] a session is created, an agent spawned, spoken to and terminated, and the session with it', async () => {
  const room = await openConsole()
  const { server, projectId } = room
  const machine = await room.machine()
  const client = await room.client()
  client.send({ type: 'session:create', projectId, requestId: 'c1' })
  const created = await client.next()
  expect(created).toEqual({
    type: 'session:created',
    sessionId: expect.any(String),
    seq: 1,
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    projectId,
    by: 'owner',
    requestId: 'c1',
  })
  const inside = { sessionId: created.sessionId }
  const path = `/api/user-sessions/${created.sessionId}`
  client.send({ type: 'agent:spawn', ...inside, role: 'auth', requestId: 's1' })
  expect(await client.next()).toMatchObject({
    type: 'agent:spawning',
    seq: 2,
    role: 'auth',
    agentId: 'coder',
    requestId: 's1',
  })
  const { launchId } = await machine.order('launch-begun')
  const particulars = machine.particulars(launchId)
  expect(particulars).toMatchObject({
    protocol: 'acp',
    acp: {
      workspace: {
        userSessionShort: expect.stringMatching(/^[0-9a-f]{8}$/),
        role: 'auth',
        path: null,
        setUp: null,
      },
      loadAcpSessionId: null,
      startWithinMs: 60_000,
    },
  })
  await machine.tell(
    { type: 'process-started', launchId, pid: 7, birth: '1' },
    readyAgent(launchId),
  )
  expect(await client.next()).toMatchObject({
    type: 'agent:ready',
    seq: 3,
    role: 'auth',
    workspace: '/tmp/work/auth',
    ...inside,
  })
  client.send({
    type: 'agent:message',
    ...inside,
    role: 'auth',
    content: 'Create a module',
    requestId: 'm1',
  })
  const prompted = await client.next()
  expect(prompted).toMatchObject({
    type: 'agent:prompted',
    seq: 4,
    role: 'auth',
    content: [{ type: 'text', text: 'Create a module' }],
    requestId: 'm1',
  })
  const turn = await machine.turn()
  const files = { key: expect.stringMatching(/^console:/) }
  expect(turn).toEqual({
    launchId,
    turnId: prompted.messageId,
    content: [{ type: 'text', text: 'Create a module' }],
    files,
    context: { contextId: expect.any(String), open: null },
  })
  await machine.tell(
    said(launchId, turn.turnId, 'I have '),
    update(launchId, turn.turnId, { kind: 'thought', text: 'hm' }),
  )
  await machine.tell(said(launchId, turn.turnId, 'done it.'), turnEnded(launchId, turn.turnId))
  expect(await client.next()).toMatchObject({
    type: 'agent:update',
    seq: 5,
    messageId: turn.turnId,
    role: 'auth',
    update: { kind: 'text', text: 'I have ' },
  })
  expect(await client.next()).toMatchObject({ seq: 6, update: { kind: 'thought' } })
  expect(await client.next()).toMatchObject({ seq: 7, update: { kind: 'text', text: 'done it.' } })
  expect(await client.next()).toMatchObject({
    type: 'agent:response',
    seq: 8,
    role: 'auth',
    messageId: turn.turnId,
    content: 'I have done it.',
    stopReason: 'end_turn',
  })
  client.send({ type: 'agent:list', ...inside, requestId: 'l1' })
  const list = await client.next()
  expect(list).toMatchObject({
    type: 'agent:list',
    requestId: 'l1',
    agents: [{ role: 'auth', agentId: 'coder', state: 'ACTIVE' }],
  })
  expect(list).not.toHaveProperty('seq')
  client.send({ type: 'agent:get', ...inside, role: 'auth', requestId: 'g1' })
  expect(await client.next()).toMatchObject({
    type: 'agent:info',
    requestId: 'g1',
    agent: { role: 'auth', error: null },
  })
  client.send({ type: 'agent:terminate', ...inside, role: 'auth', requestId: 't1' })
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId })
  await machine.tell({
    type: 'process-exited',
    launchId,
    exitCode: 0,
    signal: null,
    found: null,
    stopped: true,
  })
  expect(await client.next()).toMatchObject({
    type: 'agent:terminated',
    seq: 9,
    role: 'auth',
    reason: 'user requested',
    requestId: 't1',
  })
  client.send({ type: 'agent:terminate', ...inside, role: 'auth', requestId: 't2' })
  const again = await client.next()
  expect(again).toMatchObject({
    type: 'agent:terminated',
    reason: 'already terminated',
    requestId: 't2',
  })
  expect(again).not.toHaveProperty('seq')
  client.send({ type: 'session:terminate', ...inside, requestId: 'e1' })
  expect(await client.next()).toMatchObject({
    type: 'session:terminated',
    seq: 10,
    reason: 'user requested',
    agentsTerminated: 0,
    requestId: 'e1',
  })
  expect((await server.ask('/api/user-sessions')).json.items).toEqual([])
  expect((await server.ask(path)).json).toMatchObject({
    id: created.sessionId,
    projectId,
    state: 'TERMINATED',
    headSeq: 10,
    agents: [],
  })
  client.send({ type: 'agent:spawn', ...inside, role: 'auth' })
  expect(await client.next()).toMatchObject({ type: 'error', code: 'user_session_terminated' })
})

test('[RL5] a socket that follows as much as it may makes no session that it could not follow', async () => {
  const room = await openConsole()
  const client = await room.client()
  await client.subscribe(['home', ...Array.from({ length: 98 }, (_, index) => `project:${index}`)])
  const inside = await room.created(client)
  client.send({ type: 'session:create', projectId: room.projectId, requestId: 'c1' })
  expect(await client.next('error')).toMatchObject({ code: 'invalid_request', requestId: 'c1' })
  const listed = (await room.server.ask('/api/user-sessions')).json.items
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([inside.sessionId])
})
