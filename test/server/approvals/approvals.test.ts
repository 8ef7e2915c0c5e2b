/**
 * Approvals over HTTP (AP): the shapes that clients are written against, and people who decide at
 * once.
 */
import { expect, test } from 'vitest'
import { Approval } from '../../../src/protocol/approvals/approval.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'
import { openTestStore, temporaryFolder } from '../../support/store.ts'

async function openProject(server: TestServer) {
  const { id: projectId } = (
    await server.ask('/api/projects', { method: 'POST', body: { name: 'p' } })
  ).json
  const at = `/api/projects/${projectId}/approvals`
  const { id: workSessionId } = (
    await server.ask(`/api/projects/${projectId}/sessions`, { method: 'POST' })
  ).json
  const draft = {
    ['sessionId']: workSessionId,
    checkpointType: 'design',
    leaderId: 'lead',
    instructionContent: 'ship it',
  }
  return {
    projectId,
    workSessionId,
    at,
    ask: () => server.ask(at, { method: 'POST', body: draft }),
  }
}

const decide = (
  server: TestServer,
  at: string,
  id: number,
  status: string,
  token = server.ownerToken,
) =>
  server.ask(`${at}/${id}/decision`, {
    method: 'POST',
    body: { status, feedback: 'because' },
    token,
  })

test('[AP1] asked, sent back, submitted again, approved: over HTTP, with its history', async () => {
  const server = await openTestServer()
  const { projectId, workSessionId, at, ask } = await openProject(server)
  const asked = await ask()
  expect(asked.status).toBe(201)
  expect(Approval.strict().parse(asked.json)).toMatchObject({
    id: 1,
    projectId,
    ['sessionId']: workSessionId,
    status: 'pending',
    revisionHistory: [],
    workerInstructions: [],
    artifacts: [],
  })
  expect((await server.ask('/api/approvals')).json.items).toEqual([asked.json])
  const sentBack = await decide(server, at, 1, 'revision_requested')
  expect([sentBack.status, sentBack.json]).toMatchObject([
    200,
    { status: 'revision_requested', decidedBy: 'owner' },
  ])
  expect((await server.ask('/api/approvals')).json.items).toEqual([])
  const again = await server.ask(`${at}/1/resubmit`, {
    method: 'POST',
    body: { artifacts: ['b.md'] },
  })
  expect([again.status, again.json]).toMatchObject([
    200,
    { status: 'pending', artifacts: ['b.md'] },
  ])
  expect(again.json.revisionHistory).toMatchObject([
    { instructionContent: 'ship it', artifacts: [], feedback: 'because' },
  ])
  expect((await server.ask(`${at}/1/resubmit`, { method: 'POST' })).json).toMatchObject({
    status: 409,
    code: 'wrong_state',
  })
  expect((await decide(server, at, 1, 'approved')).json).toMatchObject({
    status: 'approved',
    feedback: 'because',
  })
  expect((await server.ask(at)).json.items).toEqual([(await server.ask(`${at}/1`)).json])
})

test('[AP1] two people decide in the same instant: one wins, the other gets 409 and is told who decided what', async () => {
  const server = await openTestServer()
  const { at, ask } = await openProject(server)
  const people = await Promise.all(
    ['Mia', 'Noa'].map(
      async (name) =>
        (await server.ask('/api/people', { method: 'POST', body: { name, role: 'member' } })).json,
    ),
  )
  for (let round = 0; round < 8; round++) {
    const { id } = (await ask()).json
    const verdicts = round % 2 ? ['approved', 'rejected'] : ['revision_requested', 'approved']
    const answers = await Promise.all(
      people.map(({ token }, n) => decide(server, at, id, verdicts[n] ?? '', token)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const won = answers.findIndex(({ status }) => status === 200)
    expect(answers[1 - won]?.json).toMatchObject({
      code: 'approval_decided',
      decidedBy: people[won].id,
      decision: verdicts[won],
    })
    expect((await server.ask(`${at}/${id}`)).json).toMatchObject({
      status: verdicts[won],
      decidedBy: people[won].id,
    })
  }
})

test('[AP3] an approval can be answered after a restart', async () => {
  const folder = await temporaryFolder()
  const first = await openTestServer({ testStore: await openTestStore({ folder }) })
  const { at, ask } = await openProject(first)
  const asked = (await ask()).json
  await first.server.close()
  await first.store.close()
  const second = await openTestServer({ testStore: await openTestStore({ folder }) })
  expect((await second.ask('/api/approvals')).json.items).toEqual([asked])
  expect((await decide(second, at, asked.id, 'approved')).json).toMatchObject({
    id: asked.id,
    status: 'approved',
  })
  expect((await decide(second, at, asked.id, 'rejected')).json).toMatchObject({
    decidedBy: 'owner',
    decision: 'approved',
  })
})

test('[SE3] who may only look decides nothing, and a script only with the scope to approve', async () => {
  const server = await openTestServer()
  const { at, ask } = await openProject(server)
  const { id } = (await ask()).json
  const viewer = (
    await server.ask('/api/people', { method: 'POST', body: { name: 'V', role: 'viewer' } })
  ).json
  const script = async (scopes: string[]) =>
    (
      await server.ask('/api/tokens', {
        method: 'POST',
        body: { name: scopes.join(), kind: 'script', scopes },
      })
    ).json
  const writer = await script(['read', 'write'])
  for (const { token } of [viewer, writer])
    expect((await decide(server, at, id, 'approved', token)).json).toMatchObject({
      code: 'missing_scope',
      scope: 'approve',
    })
  const approver = await script(['approve'])
  expect((await decide(server, at, id, 'approved', approver.token)).json).toMatchObject({
    decidedBy: approver.id,
  })
})

test('[HT2] what is malformed is 400, what is not there 404; nothing changes', async () => {
  const server = await openTestServer()
  const { projectId, at, ask } = await openProject(server)
  await ask()
  const before = await server.store.positions(['home', `project:${projectId}`])
  const post = async (path: string, body: object) =>
    (await server.ask(`${at}${path}`, { method: 'POST', body })).json
  expect(await post('', { checkpointType: 'x' })).toMatchObject({ status: 400, field: 'leaderId' })
  expect(await post('/1/decision', { status: 'pending' })).toMatchObject({
    status: 400,
    field: 'status',
  })
  expect(await post('/1/decision', { status: 'approved', feedback: 'a\u0000' })).toMatchObject({
    status: 400,
    field: 'feedback',
  })
  for (const id of ['x', '0', '-1', '1.5', '1e3', '9'.repeat(16)])
    expect(await post(`/${id}/decision`, { status: 'approved' }), id).toMatchObject({
      status: 400,
      field: 'approvalId',
    })
  expect(await post('/2/decision', { status: 'approved' })).toMatchObject({
    status: 404,
    code: 'not_found',
  })
  expect(await server.store.positions(['home', `project:${projectId}`])).toEqual(before)
})
