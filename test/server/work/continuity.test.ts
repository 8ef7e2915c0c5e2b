import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { ApproachesFile } from '../../../src/protocol/work/approaches-file.ts'
import { RemainingTasksFile, StateCheckpoint } from '../../../src/protocol/work/state-checkpoint.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

async function begin(server: TestServer) {
  const post = async (path: string, body: unknown = {}) =>
    (await server.ask(path, { method: 'POST', body })).json
  const { id: projectId } = await post('/api/projects', { name: 'p' })
  const project = `/api/projects/${projectId}`
  const { id } = await post(`${project}/sessions`, {
    contextSummary: 'Jumping works',
    phase: 2,
    agentRole: 'LEADER',
  })
  return { projectId, project, id, path: `${project}/sessions/${id}`, post }
}

describe('resuming over HTTP', () => {
  test('[RS1] 201 once, then 200 with the same child while it runs; a running one is refused', async () => {
    const server = await openTestServer()
    const { id, path, project, post } = await begin(server)
    await post(`${path}/approaches`, {
      kind: 'failed',
      category: 'jump',
      description: 'velocity.y',
      failureReason: 'in the air',
    })
    const task = await post(`${project}/tasks`, {
      ['sessionId']: id,
      phase: 2,
      type: 'code',
      title: 'Jump',
    })
    const resume = () => server.ask(`${path}/resume`, { method: 'POST' })
    expect((await resume()).json).toMatchObject({ status: 409, code: 'work_session_running' })
    await post(`${path}/end`, { reason: 'power_cut' })
    const [first, second] = await Promise.all([resume(), resume()])
    expect([first.status, second.status].sort()).toEqual([200, 201])
    expect(first.json.session.id).toBe(second.json.session.id)
    expect(first.json).toMatchObject({
      session: { parentSessionId: id, state: 'running' },
      resumeContext: {
        previousState: 'Jumping works',
        currentPhase: 2,
        failedApproaches: [{ id: 'approach_f001', failureReason: 'in the air', avoid: true }],
        remainingTasks: [{ taskId: task.id, name: 'Jump', status: 'pending' }],
      },
      remainingTasks: [{ id: task.id, ['sessionId']: first.json.session.id }],
      notRestored: [],
    })
    await post(`${project}/sessions/${first.json.session.id}/end`)
    expect((await resume()).status).toBe(201)
    await server.ask(`${project}/sessions/${first.json.session.id}/resume`, { method: 'POST' })
    const completed = await server.ask(`${project}/sessions/${first.json.session.id}/resume`, {
      method: 'POST',
    })
    expect(completed.json).toMatchObject({ status: 409, code: 'work_session_completed' })
  })

  test('[HT4] the same resume asked again under its key is answered as before', async () => {
    const server = await openTestServer()
    const { path, post } = await begin(server)
    await post(`${path}/end`, { reason: 'x' })
    const resume = () =>
      server.ask(`${path}/resume`, { method: 'POST', headers: { 'idempotency-key': 'k' } })
    const [first, second] = [await resume(), await resume()]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.json).toEqual(first.json)
  })
})

describe('checkpoints over HTTP', () => {
  test('[CK1] a checkpoint that is asked for says where it is, and it is there, in the layout of the specification', async () => {
    const server = await openTestServer()
    const { projectId, id, path, post } = await begin(server)
    const saved = await post(`${path}/checkpoint`, { contextSummary: 'Landing works too' })
    expect(saved).toEqual({
      path: expect.stringContaining(`/projects/${projectId}/sessions/${id}/`),
      timestamp: expect.any(String),
      written: true,
    })
    const file = JSON.parse(await readFile(saved.path, 'utf8'))
    expect(StateCheckpoint.parse(file)).toEqual(file)
    expect(file).toEqual({
      schema_version: '1.0',
      project_id: projectId,
      session_id: id,
      timestamp: saved.timestamp,
      interruption_reason: null,
      current_state: {
        phase: 2,
        active_agent: { role: 'LEADER', type: null, agent_id: null },
        active_task: null,
      },
      completed_tasks: [],
      pending_tasks: [],
      remaining_tasks: [],
      context_summary: 'Landing works too',
    })
    for (const [name, schema] of [
      ['approaches', ApproachesFile],
      ['remaining_tasks', RemainingTasksFile],
    ] as const) {
      const beside = JSON.parse(
        await readFile(saved.path.replace('state_checkpoint', name), 'utf8'),
      )
      expect(schema.parse(beside)).toEqual(beside)
    }
    const { json } = await server.ask(path)
    expect(json.checkpoints).toMatchObject([{ number: 1, reason: 'asked' }])
  })
})

describe('approaches over HTTP', () => {
  test('[AR1] recorded, changed and listed; a kind that is final is refused', async () => {
    const server = await openTestServer()
    const { path, project, post } = await begin(server)
    const made = await server.ask(`${path}/approaches`, {
      method: 'POST',
      body: { kind: 'untried', category: 'c', description: 'd', nextToTry: true },
    })
    expect([made.status, made.json.id]).toEqual([201, 'approach_u001'])
    const change = (at: string, body: unknown) => server.ask(at, { method: 'PATCH', body })
    const verified = await change(`${path}/approaches/approach_u001`, {
      kind: 'verified',
      learnings: ['works'],
    })
    expect(verified.json).toMatchObject({
      id: 'approach_u001',
      kind: 'verified',
      history: [{ before: { kind: 'untried' } }],
    })
    expect(
      (await change(`${project}/approaches/approach_u001`, { note: 'really' })).json,
    ).toMatchObject({ note: 'really' })
    expect(
      (await change(`${path}/approaches/approach_u001`, { kind: 'failed' })).json,
    ).toMatchObject({ code: 'wrong_state' })
    await post(`${path}/approaches`, { kind: 'failed', category: 'c', description: 'e' })
    expect((await server.ask(`${path}/approaches?kind=failed`)).json.items).toMatchObject([
      { id: 'approach_f001', avoid: true },
    ])
    const bad = await server.ask(`${path}/approaches`, {
      method: 'POST',
      body: { kind: 'maybe', category: 'c', description: 'd' },
    })
    expect(bad.json).toMatchObject({ status: 400, code: 'invalid_request' })
  })
})

test('[AP7] who brings decisions back answers for them, and decides nothing that is open', async () => {
  const server = await openTestServer()
  const { project, projectId, id, path, post } = await begin(server)
  const asked = await post(`${project}/approvals`, {
    ['sessionId']: id,
    checkpointType: 'plan',
    leaderId: 'ann',
  })
  const { id: writer, token } = await post('/api/tokens', {
    name: 'w',
    kind: 'script',
    scopes: ['read', 'write'],
  })
  const moment = '2026-01-01T00:00:00.000Z'
  const said = { feedback: 'go', decided_by: 'owner', resolved_at: moment }
  const row = {
    project_id: projectId,
    session_id: id,
    checkpoint_type: 'deploy',
    leader_id: 'ann',
    task_id: null,
    instruction_content: 'rm -rf',
    worker_instructions: '[]',
    artifacts: '[]',
    revision_history: '[]',
    outcome: null,
    digest: null,
    options: null,
    tool_call: null,
    option_id: null,
    role: null,
    deadline: null,
    submitted_at: moment,
    status: 'approved',
    ...said,
  }
  const earlier = { submittedAt: moment, resolvedAt: moment, decidedBy: 'owner', feedback: null }
  const approvals = [
    { ...row, id: 50, revision_history: JSON.stringify([earlier]) },
    // The very one that is open, and its number with another time.
    { ...row, id: asked.id, submitted_at: asked.submittedAt },
    { ...row, id: asked.id },
    { ...row, id: 60, status: 'pending' },
  ]
  const work_session = {
    id,
    project_id: projectId,
    parent_session_id: null,
    started_at: moment,
    ended_at: null,
  }
  const none = {
    interruption_reason: null,
    current_phase: null,
    current_agent_role: null,
    current_agent_type: null,
  }
  const rest = {
    current_task_id: null,
    context_summary: null,
    resumed_by: null,
    resume_failures: 0,
    set_aside: null,
    error: null,
  }
  const lists = { tasks: [], approaches: [], checkpoints: [], artifacts: [] }
  const body = {
    checkpoint: { schema_version: '1.0', project_id: projectId, session_id: id, timestamp: moment },
    workSession: {
      schema_version: '1.0',
      work_session: { ...work_session, ...none, ...rest },
      approvals,
      ...lists,
    },
  }
  const { json } = await server.ask(`${path}/restore`, { method: 'POST', token, body })
  expect(json).toMatchObject({ restored: { approvals: 3 } })
  const { items } = (await server.ask(`${project}/approvals`)).json
  const open = items.find((each: { id: number }) => each.id === asked.id)
  expect(open).toMatchObject({ status: 'pending', decidedBy: null, imported: null })
  const brought = items.filter((each: { id: number }) => each.id !== asked.id)
  for (const each of brought)
    if (each.status === 'pending') expect(each).toMatchObject({ decidedBy: null, imported: null })
    else
      expect(each).toMatchObject({
        status: 'approved',
        decidedBy: writer,
        imported: { decidedBy: 'owner' },
      })
  expect(brought.map(({ status }: { status: string }) => status).toSorted()).toEqual([
    'approved',
    'approved',
    'pending',
  ])
  const history = brought.find((each: { id: number }) => each.id === 50).revisionHistory
  expect(history).toMatchObject([{ decidedBy: writer, imported: { decidedBy: 'owner' } }])
  // What is decided here afterwards is decided here.
  await post(`${project}/approvals/60/decision`, { status: 'approved' })
  expect((await server.ask(`${project}/approvals/60`)).json).toMatchObject({
    decidedBy: 'owner',
    imported: null,
  })
})
