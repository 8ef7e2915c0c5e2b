/** Work sessions and tasks over HTTP (WK, TK): the shapes that clients are written against. */
import { expect, test } from 'vitest'
import { Task } from '../../../src/protocol/work/task.ts'
import { WholeWorkSession, WorkSession } from '../../../src/protocol/work/work-session.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

async function openProject(server: TestServer) {
  const { id: projectId } = (
    await server.ask('/api/projects', { method: 'POST', body: { name: 'p' } })
  ).json
  const at = (path: string): string => `/api/projects/${projectId}${path}`
  const call = (method: string, path: string, body?: unknown) =>
    server.ask(at(path), { method, body })
  return { projectId, call, get: (path: string) => call('GET', path) }
}

test('[TK2] tasks over HTTP: made, blocked, lifted by themselves, refused in words', async () => {
  const server = await openTestServer()
  const { projectId, call, get } = await openProject(server)
  const begun = await call('POST', '/sessions', {
    contextSummary: 'first',
    phase: 1,
    agentRole: 'LEADER',
    agentType: 'code',
  })
  expect(begun.status).toBe(201)
  expect(WorkSession.strict().parse(begun.json)).toMatchObject({
    projectId,
    parentSessionId: null,
    state: 'running',
    currentPhase: 1,
    currentAgentRole: 'LEADER',
    currentAgentType: 'code',
    contextSummary: 'first',
  })
  const inIt = { ['sessionId']: begun.json.id, phase: 1, type: 'code', title: 'Jump' }
  const make = (more: object = {}) => call('POST', '/tasks', { ...inIt, ...more })
  const first = await make({ description: 'high', assignedTo: 'ann' })
  expect(first.status).toBe(201)
  expect(Task.strict().parse(first.json)).toMatchObject({
    id: 'task_p1_code_001',
    ['sessionId']: begun.json.id,
    status: 'pending',
    progressPercent: 0,
    description: 'high',
    assignedTo: 'ann',
  })
  const second = (await make({ dependsOn: ['task_p1_code_001'] })).json
  expect(second).toMatchObject({
    id: 'task_p1_code_002',
    status: 'blocked',
    blockedBy: 'task_p1_code_001',
  })
  const change = (id: string, body: object) => call('PATCH', `/tasks/${id}`, body)
  expect((await change(second.id, { status: 'in_progress' })).json).toMatchObject({
    status: 409,
    code: 'task_blocked',
    waitsFor: ['task_p1_code_001'],
  })
  expect((await change('task_p1_code_001', { dependsOn: [second.id] })).json).toMatchObject({
    status: 422,
    code: 'dependency_cycle',
    cycle: ['task_p1_code_001', 'task_p1_code_002'],
    detail: expect.stringContaining('task_p1_code_001 → task_p1_code_002 → task_p1_code_001'),
  })
  expect((await change('task_p1_code_001', { progressPercent: 101 })).json).toMatchObject({
    status: 422,
    code: 'invalid_progress',
  })
  expect(
    (await change('task_p1_code_001', { status: 'in_progress', progressPercent: 50 })).json,
  ).toMatchObject({
    status: 'in_progress',
    progressPercent: 50,
    startedAt: expect.any(String),
  })
  const done = await change('task_p1_code_001', { status: 'completed', result: { files: 2 } })
  expect(done.json).toMatchObject({
    status: 'completed',
    progressPercent: 100,
    result: { files: 2 },
  })
  expect((await get(`/tasks/${second.id}`)).json).toMatchObject({
    status: 'pending',
    blockedBy: null,
  })
  expect((await get('/tasks?status=pending')).json).toMatchObject({
    items: [{ id: second.id }],
    nextCursor: null,
  })
  expect((await get(`/tasks?limit=1&workSessionId=${begun.json.id}`)).json).toMatchObject({
    items: [{ id: second.id }],
    nextCursor: expect.any(String),
  })
  const whole = (await get(`/sessions/${begun.json.id}`)).json
  expect(WholeWorkSession.strict().parse(whole)).toMatchObject({
    tasks: [{ id: second.id }, { id: 'task_p1_code_001' }],
  })
})

test('[WK4] work sessions over HTTP: begun without a word, listed, ended', async () => {
  const server = await openTestServer()
  const { call, get } = await openProject(server)
  const [one, two] = [
    (await call('POST', '/sessions')).json,
    (await call('POST', '/sessions', {})).json,
  ]
  expect((await call('POST', `/sessions/${one.id}/end`)).json).toMatchObject({
    id: one.id,
    state: 'completed',
  })
  const ended = await call('POST', `/sessions/${two.id}/end`, { reason: 'lunch' })
  expect([ended.status, ended.json]).toMatchObject([
    200,
    { state: 'interrupted', interruptionReason: 'lunch' },
  ])
  expect((await call('POST', `/sessions/${one.id}/end`, { completed: false })).json).toMatchObject({
    status: 409,
    code: 'work_session_completed',
  })
  const { items } = (await get('/sessions')).json
  expect(items.map(({ stateSummary }: WorkSession) => stateSummary).sort()).toEqual([
    'completed',
    'interrupted (lunch)',
  ])
})

test('[HT2] what is malformed is 400 and names the field, what is not there 404; nothing changes', async () => {
  const server = await openTestServer()
  const { projectId, call } = await openProject(server)
  const { id } = (await call('POST', '/sessions')).json
  const inIt = { ['sessionId']: id, phase: 1, type: 'code', title: 'Jump' }
  const before = await server.store.positions(['home', `project:${projectId}`])
  const bad: [body: object, field: string][] = [
    [{ ...inIt, phase: 1.5 }, 'phase'],
    [{ ...inIt, phase: -1 }, 'phase'],
    [{ ...inIt, title: '' }, 'title'],
    [{ ...inIt, type: 'a\u0000b' }, 'type'],
    [{ ...inIt, description: 'a\u0000b' }, 'description'],
    [{ ...inIt, dependsOn: 'task_p1_code_001' }, 'dependsOn'],
    [{ ...inIt, ['sessionId']: 5 }, 'sessionId'],
  ]
  for (const [body, field] of bad)
    expect((await call('POST', '/tasks', body)).json, field).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field,
    })
  expect((await call('PATCH', '/tasks/x', { status: 'done' })).json).toMatchObject({
    status: 400,
    field: 'status',
  })
  expect((await call('PATCH', '/tasks/x', { result: 'x'.repeat(100_001) })).json).toMatchObject({
    status: 400,
    field: 'result',
  })
  expect((await call('POST', '/tasks', { ...inIt, ['sessionId']: 'sess_x' })).json).toMatchObject({
    status: 404,
  })
  expect((await call('PATCH', '/tasks/task_p1_code_001', { title: 'x' })).json).toMatchObject({
    status: 404,
    code: 'not_found',
  })
  expect(await server.store.positions(['home', `project:${projectId}`])).toEqual(before)
})
