/**
 * Consoles without a WebSocket (US1, AG2, RL6): begun, given agents and prompted over REST, as the
 * relay does it.
 */
import { expect, test } from 'vitest'
import { openConsole, said, turnEnded } from '../../support/relay.ts'

test('[US6] a console is begun, given an agent and prompted over REST, and its answer is read', async () => {
  const { server, projectId, machine: connect } = await openConsole()
  const machine = await connect()
  const begun = await server.ask('/api/user-sessions', { method: 'POST', body: { projectId } })
  expect(begun.status).toBe(201)
  expect(begun.json).toMatchObject({
    id: expect.any(String),
    projectId,
    state: 'ACTIVE',
    agents: [],
  })
  const path = `/api/user-sessions/${begun.json.id}`
  const spawned = await server.ask(`${path}/agents`, {
    method: 'POST',
    body: { role: 'auth', agentId: 'coder' },
  })
  expect([spawned.status, spawned.json]).toEqual([202, { role: 'auth', state: 'SPAWNING' }])
  const launchId = await machine.bringUp()
  const prompt = await server.ask(`${path}/agents/auth/prompts`, {
    method: 'POST',
    body: { content: 'Say hello' },
  })
  expect([prompt.status, prompt.json]).toEqual([202, { messageId: expect.any(String) }])
  const { turnId, content } = await machine.turn()
  expect([turnId, content]).toEqual([prompt.json.messageId, [{ type: 'text', text: 'Say hello' }]])
  const queued = await server.ask(`${path}/agents/auth/prompts`, {
    method: 'POST',
    body: { content: 'And again' },
  })
  expect([queued.status, queued.json]).toEqual([202, { messageId: expect.any(String) }])
  await machine.tell(said(launchId, turnId, 'Hello.'), turnEnded(launchId, turnId))
  const turns = (await server.ask(`${path}/turns`)).json.items as {
    messageId: string
    text: string
    state: string
  }[]
  expect(turns.find(({ messageId }) => messageId === turnId)).toMatchObject({
    text: 'Hello.',
    state: 'answered',
  })
})

test('[US6] the same Idempotency-Key begins one console, one agent and one prompt', async () => {
  const { server, projectId, machine: connect } = await openConsole()
  const machine = await connect()
  const twice = async (path: string, body: object) => {
    const request = { method: 'POST', body, headers: { 'idempotency-key': path } }
    const answers = [await server.ask(path, request), await server.ask(path, request)]
    expect(answers[1]).toMatchObject({ status: answers[0]?.status, json: answers[0]?.json })
    return answers[0]?.json
  }
  const { id } = await twice('/api/user-sessions', { projectId })
  await twice(`/api/user-sessions/${id}/agents`, { role: 'auth', agentId: 'coder' })
  await machine.bringUp()
  await twice(`/api/user-sessions/${id}/agents/auth/prompts`, { content: 'once' })
  const { items } = (await server.ask('/api/user-sessions')).json
  expect(items).toMatchObject([{ id, agents: [{ role: 'auth', state: 'ACTIVE', queue: [] }] }])
})

test('[US6] another person’s console is not found, a viewer begins none, and a role that nobody holds is named', async () => {
  const { server, projectId } = await openConsole()
  const { id } = (await server.ask('/api/user-sessions', { method: 'POST', body: { projectId } }))
    .json
  const person = async (role: string) => {
    const { token } = (
      await server.ask('/api/people', { method: 'POST', body: { name: role, role } })
    ).json
    return (path: string, body: object) => server.ask(path, { method: 'POST', body, token })
  }
  const member = await person('member')
  const viewer = await person('viewer')
  const agents = `/api/user-sessions/${id}/agents`
  for (const outcome of [
    await member(agents, { role: 'auth', agentId: 'coder' }),
    await member(`${agents}/auth/prompts`, { content: 'hi' }),
  ])
    expect([outcome.status, outcome.json.code]).toEqual([404, 'user_session_not_found'])
  expect((await viewer('/api/user-sessions', { projectId })).status).toBe(403)
  const nobody = await server.ask(`${agents}/auth/prompts`, {
    method: 'POST',
    body: { content: 'hi' },
  })
  expect([nobody.status, nobody.json.code]).toEqual([404, 'agent_not_found'])
  expect((await server.ask(`${agents}`, { method: 'POST', body: { role: '' } })).status).toBe(400)
  expect((await server.ask(`/api/user-sessions/${id}`)).json.agents).toEqual([])
})

test('[US7] a console begun without a project is in the only one; with several the answer names them', async () => {
  const room = await openConsole()
  const { server, projectId } = room
  const begun = await server.ask('/api/user-sessions', { method: 'POST', body: {} })
  expect([begun.status, begun.json.projectId]).toEqual([201, projectId])
  const client = await room.client()
  client.send({ type: 'session:create', requestId: 'c1' })
  expect(await client.next()).toMatchObject({ type: 'session:created', projectId, requestId: 'c1' })
  const { id: other } = (
    await server.ask('/api/projects', { method: 'POST', body: { name: 'Other' } })
  ).json
  client.send({ type: 'session:create', requestId: 'c2' })
  const refused = await client.next()
  expect(refused).toMatchObject({ type: 'error', code: 'invalid_request', requestId: 'c2' })
  expect(refused.detail).toContain(projectId)
  expect(refused.detail).toContain(other)
  expect((await server.ask('/api/user-sessions', { method: 'POST', body: {} })).status).toBe(400)
})

test('[RL8] a message to a role that nobody holds is answered with agent_not_found', async () => {
  const room = await openConsole()
  const client = await room.client()
  client.send({ type: 'session:create', projectId: room.projectId, requestId: 'c1' })
  const created = await client.next()
  client.send({
    type: 'agent:message',
    sessionId: created.sessionId,
    role: 'nobody',
    content: 'hi',
    requestId: 'm1',
  })
  expect(await client.next()).toMatchObject({
    type: 'error',
    code: 'agent_not_found',
    requestId: 'm1',
  })
})
