/** Agent sessions and process exits over HTTP: who may, what is answered, what is refused. */
import { expect, test } from 'vitest'
import { createToken } from '../../../src/services/access/change-access.ts'
import { openOffice, unknownCaller } from '../../services/agent-sessions/agent-office.ts'
import { ownerWho } from '../../services/projects/installation.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

async function open() {
  const server = await openTestServer()
  const { store, clock } = server
  const office = await openOffice(store, clock)
  const { token } = await store.run(createToken, { name: 'c', kind: 'coordinator', by: ownerWho })
  const { projectId, agentId } = office
  const report = (said: object, as: string | null = token) =>
    server.ask('/api/coordinator/process-exits', {
      method: 'POST',
      token: as,
      body: { agentId, projectId, remainingProcesses: 0, ...said },
    })
  return { server, office, token, report }
}

const listed = async (server: TestServer, query = '') =>
  (await server.ask(`/api/agent-sessions${query}`)).json

test('[HT1] agent sessions are listed newest first, by project, agent and state, page by page', async () => {
  const { server, office } = await open()
  const { projectId, agentId } = office
  await office.say('hello')
  const first = await office.signIn()
  await office.calls.logout(await office.caller(first))
  server.clock.advance(1000)
  const second = await office.signIn(agentId, 'launch-1')
  const elsewhere = await openOffice(server.store, server.clock)
  await elsewhere.say('hello')
  server.clock.advance(1000)
  const third = await elsewhere.signIn()
  const ids = async (query: string) =>
    (await listed(server, query)).items.map(({ id }: { id: string }) => id)
  const [a, b, c] = [first, second, third].map(({ agentSessionId }) => agentSessionId)
  expect(await ids('')).toEqual([c, b, a])
  expect(await ids(`?projectId=${projectId}`)).toEqual([b, a])
  expect(await ids(`?agentId=${elsewhere.agentId}`)).toEqual([c])
  expect(await ids('?state=ended')).toEqual([a])
  expect(await ids(`?state=active&projectId=${projectId}&agentId=${agentId}`)).toEqual([b])
  expect(await ids('?state=terminating')).toEqual([])
  expect(await ids('?projectId=nowhere')).toEqual([])
  const page = await listed(server, '?limit=2')
  expect(page.items).toHaveLength(2)
  expect(await ids(`?limit=2&cursor=${page.nextCursor}`)).toEqual([a])
  expect((await listed(server, `?projectId=${projectId}`)).items[1]).toEqual({
    id: a,
    agentId,
    projectId,
    purpose: 'chat',
    state: 'ended',
    launchId: null,
    workSessionId: null,
    createdAt: '2026-03-01T09:00:00.000Z',
    lastActivityAt: '2026-03-01T09:00:00.000Z',
    expiresAt: '2026-03-01T10:00:00.000Z',
    endedAt: '2026-03-01T09:00:00.000Z',
    endReason: 'logout',
  })
  expect((await server.ask('/api/agent-sessions?state=asleep')).json).toMatchObject({
    status: 400,
    code: 'invalid_request',
  })
})

test('[PX1] a coordinator reports an exit, and the server answers with what it decided; no token is told to anybody', async () => {
  const { server, office, report } = await open()
  await office.say('hello')
  const chat = await office.signIn(office.agentId, 'launch-1')
  await office.giveTask()
  await office.signIn(office.agentId, 'launch-0')
  expect((await report({ remainingProcesses: 1 })).json).toEqual({ decision: 'judging', ended: [] })
  expect((await report({ launchId: 'launch-2', exitCode: 1, signal: null })).json).toEqual({
    decision: 'nothing',
    ended: [],
  })
  const received = {
    launchId: 'launch-1',
    exitCode: null,
    signal: 'SIGKILL',
    reportId: 'r1',
    epoch: 3,
  }
  const answer = await report(received)
  expect(answer.status).toBe(200)
  expect(answer.json).toEqual({ decision: 'ended', ended: [chat.agentSessionId] })
  expect((await report(received)).json).toEqual({ decision: 'duplicate', ended: [] })
  const fenced = await report({ ...received, reportId: 'r2', epoch: 2 })
  expect(fenced.status).toBe(409)
  expect(fenced.json).toMatchObject({ code: 'fenced', epoch: 3 })
  expect(await office.one(chat)).toMatchObject({ state: 'ended', endReason: 'process_exited' })
  expect(JSON.stringify(await listed(server)) + server.log()).not.toContain(chat.token)
})

test('[SE3] exits are reported by coordinators, and by who may manage; by nobody else', async () => {
  const { server, office, report } = await open()
  const { store } = server
  const { token: script } = await store.run(createToken, {
    name: 's',
    kind: 'script',
    scopes: ['read', 'write'],
    by: ownerWho,
  })
  for (const token of [script, office.passkeyOf(office.agentId)])
    expect((await report({}, token)).json).toMatchObject({
      status: 403,
      code: 'missing_scope',
      scope: 'coordinator',
    })
  expect((await report({}, null)).status).toBe(401)
  expect((await report({}, server.ownerToken)).json).toEqual({ decision: 'nothing', ended: [] })
  const agent = await server.ask('/api/agent-sessions', { token: office.passkeyOf(office.agentId) })
  expect(agent.json).toMatchObject({ status: 403, code: 'missing_scope' })
})

test('[HT2] a report that makes no sense is refused with the field named, and one about nobody is not found', async () => {
  const { report } = await open()
  for (const [said, field] of [
    [{ remainingProcesses: -1 }, 'remainingProcesses'],
    [{ remainingProcesses: 1.5 }, 'remainingProcesses'],
    [{ launchId: '' }, 'launchId'],
    [{ epoch: 'x' }, 'epoch'],
    [{ reportId: 'x'.repeat(201) }, 'reportId'],
  ] as const)
    expect((await report(said)).json, JSON.stringify(said)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field,
    })
  expect((await report({ surprise: 1 })).status).toBe(400)
  expect((await report({ agentId: 'nobody' })).json).toMatchObject({
    status: 404,
    code: 'agent_not_found',
  })
  expect((await report({ projectId: 'nowhere' })).json).toMatchObject({
    status: 404,
    code: 'not_found',
  })
})

test('[SE3] a new passkey over HTTP ends the sessions that the old one had opened', async () => {
  const { server, office } = await open()
  await office.say('hello')
  const signed = await office.signIn()
  expect(
    (await server.ask(`/api/agents/${office.agentId}/passkey`, { method: 'POST' })).status,
  ).toBe(200)
  expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'revoked' })
  await office.calls.caller(unknownCaller, signed.token)
  expect((await server.ask(`/api/agents/${office.agentId}`, { method: 'DELETE' })).status).toBe(204)
})
