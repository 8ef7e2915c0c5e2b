/**
 * SB9: a sandboxed agent asks for a folder; a person decides; the next process sees it. The test
 * plays the machine.
 */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { started } from '../../services/processes/launch-pad.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { connectMcp } from '../../support/mcp.ts'
import { asks, openConsole, question, readyAgent, said, turnEnded } from '../../support/relay.ts'

async function openSandboxed(sandbox: 'off' | 'strict') {
  const chat = await openAcpChat({ 'permission.policy': 'allow_all' })
  const { server, machine, room, say } = chat
  const project = `/api/projects/${room.projectId}`
  await server.ask(`${project}/agents/coder`, { method: 'PUT', body: { sandbox } })
  const bringUp = async () => {
    const { launchId } = await machine.order('launch-begun')
    const { launchToken, isolation } = machine.particulars(launchId)
    await machine.tell(started(launchId), readyAgent(launchId, 'new'))
    const { turnId } = await machine.turn()
    return { launchId, turnId, isolation, tools: await connectMcp(server.url, launchToken) }
  }
  const approvals = async () => (await server.ask(`${project}/approvals`)).json.items
  const decide = (id: number, more: object = {}) =>
    server.ask(`${project}/approvals/${id}/decision`, {
      method: 'POST',
      body: { status: 'approved', ...more },
    })
  await say('read the library')
  return { ...chat, project, bringUp, approvals, decide }
}

test('[SB9] a folder is asked about whatever the policy; a yes is an allowance, after the turn another process has it, and revoked it is gone', async () => {
  const { server, machine, clock, project, bringUp, approvals, decide, say } =
    await openSandboxed('strict')
  const { launchId, turnId, isolation, tools } = await bringUp()
  expect(isolation).toMatchObject({ allow: { folders: [] }, remembered: [] })
  for (const folder of ['relative', '/', '/a/../b', '/a/', '/a\tb'])
    expect(await tools.failure('request_folder', { folder })).toBe('invalid_request')
  const asked = [1, 2].map(() => tools.call('request_folder', { folder: '/srv/library' }))
  await expect
    .poll(approvals)
    .toMatchObject([
      { status: 'pending', instructionContent: 'Read /srv/library from the sandbox' },
    ])
  const [{ id }] = await approvals()
  clock.advance(1000)
  expect((await decide(id)).status).toBe(200)
  expect(await Promise.all(asked)).toEqual([{ status: 'allowed' }, { status: 'allowed' }])
  const [kept] = (await server.ask(`${project}/allowances`)).json.items
  expect(kept).toMatchObject({ scope: 'request', folder: '/srv/library', approvalId: id })
  expect(Date.parse(kept.expiresAt) - Date.parse(kept.createdAt)).toBe(3_600_000)
  await machine.tell(said(launchId, turnId, 'soon'), turnEnded(launchId, turnId))
  expect((await machine.order('stop-ordered')).launchId).toBe(launchId)
  await machine.tell({
    type: 'process-exited',
    launchId,
    exitCode: 0,
    signal: null,
    found: null,
    stopped: true,
  })
  clock.advance(1000)
  await say('and now')
  const again = await bringUp()
  expect(again.isolation).toMatchObject({ allow: { folders: ['/srv/library'] } })
  expect(await again.tools.call('request_folder', { folder: '/srv/library' })).toEqual({
    status: 'allowed',
  })
  await server.ask(`${project}/allowances/${kept.id}`, { method: 'DELETE' })
  const refused = again.tools.call('request_folder', { folder: '/srv/library/more' })
  await expect.poll(async () => (await approvals())[0].status).toBe('pending')
  await decide((await approvals())[0].id, { status: 'rejected' })
  expect(await refused).toEqual({ status: 'refused' })
})

test('[SB9] [SB7] without a sandbox, or outside a turn, nobody is asked; an agent’s own call cannot pass for a folder; hosts allowed always go along', async () => {
  const off = await openSandboxed('off')
  const { tools } = await off.bringUp()
  expect(await tools.failure('request_folder', { folder: '/srv/library' })).toBe('wrong_state')
  const { server, machine, project, bringUp, approvals, decide, say } =
    await openSandboxed('strict')
  await server.ask(project, { method: 'PATCH', body: { settings: { 'permission.policy': 'ask' } } })
  const { launchId, turnId, tools: inside } = await bringUp()
  const likeness = createHash('sha256').update('host api.example.com').digest('hex')
  const plain = question()
  const call = { ...plain.call, toolKind: 'other', input: '{"host":"api.example.com"}' } as const
  const locations = [{ path: '/', line: null }]
  const forged = { ...plain.call, toolKind: 'other' as const, input: '{"folder":"/"}', locations }
  await machine.tell(asks(launchId, turnId, 'q1', { ...plain, likeness, call }))
  await machine.tell(
    asks(launchId, turnId, 'q2', { ...plain, likeness: 'c'.repeat(64), call: forged }),
  )
  for (const { id } of await approvals())
    expect((await decide(id, { always: {} })).status).toBe(200)
  await machine.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
  expect(await inside.failure('request_folder', { folder: '/srv/library' })).toBe('wrong_state')
  await machine.tell({
    type: 'process-exited',
    launchId,
    exitCode: 0,
    signal: null,
    found: null,
    stopped: false,
  })
  await say('again')
  expect((await bringUp()).isolation).toMatchObject({
    allow: { folders: [] },
    remembered: expect.arrayContaining([likeness]),
  })
})

test('[SB7] no policy, and nothing that was allowed for tools, says yes to a host', async () => {
  const { machine, bringUp, approvals, decide } = await openSandboxed('strict')
  const { launchId, turnId } = await bringUp()
  const plain = question()
  const page = {
    ...plain.call,
    toolKind: 'fetch',
    input: '{"url":"https://docs.example.com"}',
  } as const
  const call = { ...plain.call, toolKind: 'other', input: '{"host":"api.example.com"}' } as const
  const likeness = createHash('sha256').update('host api.example.com').digest('hex')
  await machine.tell(asks(launchId, turnId, 'q1', { ...plain, likeness, call }))
  await machine.tell(
    asks(launchId, turnId, 'q2', { ...plain, likeness: 'c'.repeat(64), call: page }),
  )
  expect((await approvals()).map(({ status }: { status: string }) => status).sort()).toEqual([
    'approved',
    'pending',
  ])
  const { id } = (await approvals()).find(({ status }: { status: string }) => status === 'pending')
  expect((await decide(id, { always: { scope: 'tool' } })).json.code).toBe('wrong_state')
})

test('[SB9] an agent in a role asks in its console, and its process is replaced after the turn', async () => {
  const room = await openConsole()
  const path = `/api/projects/${room.projectId}/agents/coder`
  await room.server.ask(path, { method: 'PUT', body: { sandbox: 'workplace' } })
  const [machine, client] = [await room.machine(), await room.client()]
  const inside = await room.created(client)
  client.send({ type: 'agent:spawn', ...inside, role: 'auth' })
  const { launchId } = await machine.order('launch-begun')
  const { launchToken } = machine.particulars(launchId)
  await machine.tell(started(launchId), readyAgent(launchId))
  await client.next('agent:ready')
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'read' })
  const { turnId } = await machine.turn()
  const tools = await connectMcp(room.server.url, launchToken)
  const asked = tools.call('request_folder', { folder: '/srv/library' })
  const { approvalId, options } = await client.next('permission:requested')
  expect(options.map(({ name }: { name: string }) => name)).toEqual([
    'Allow for an hour',
    'Keep refusing',
  ])
  room.server.clock.advance(1000)
  client.send({
    type: 'permission:answer',
    ...inside,
    approvalId,
    optionId: 'allow',
    always: { expiresInMinutes: 5 },
  })
  expect(await asked).toEqual({ status: 'allowed' })
  await machine.tell(said(launchId, turnId, 'soon'), turnEnded(launchId, turnId))
  await client.next('agent:asleep')
  const detail = 'Restarted, so that it sees a folder that was allowed.'
  expect((await machine.order('stop-ordered')).launchId).toBe(launchId)
  expect((await room.server.ask('/api/processes')).json.items).toMatchObject([
    { launchId, stopReason: 'finished', detail },
  ])
})
