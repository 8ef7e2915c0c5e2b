/** The handshake of the Agent Host Protocol, its errors, and the list of sessions (AH). */
import { expect, test } from 'vitest'
import { ahpClient } from '../../support/ahp-client.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const bearer = (server: TestServer) => ({
  port: server.port,
  headers: { authorization: `Bearer ${server.ownerToken}` },
})

const agent = { protocol: 'acp', command: 'x', args: [] }

async function withAgent(server: TestServer) {
  const post = async (path: string, body: object) => {
    const { status, json } = await server.ask(path, { method: 'POST', body })
    expect([path, status]).toEqual([path, 201])
    return json
  }
  const project = await post('/api/projects', { name: 'p' })
  await post('/api/agents', { ...agent, id: 'claude', name: 'Claude' })
  await server.ask(`/api/projects/${project.id}/agents/claude`, { method: 'PUT', body: {} })
  const begin = (body: object) =>
    post(`/api/projects/${project.id}/conversations`, { agentId: 'claude', ...body })
  return { project, begin }
}

test('[AH1] a version that both speak is answered in its own words; none ends the connection', async () => {
  const server = await openTestServer()
  await withAgent(server)
  const client = await ahpClient(bearer(server))
  expect(await client.ask('ping')).toMatchObject({ result: null })
  expect(await client.ask('listSessions')).toMatchObject({ error: { code: -32600 } })
  const answer = await client.initialize({ protocolVersions: ['1.0.0', '0.9.0', '0.8.0'] })
  expect(answer).toMatchObject({
    protocolVersion: '0.9.0',
    serverInfo: { name: 'holdfast' },
    snapshots: [
      {
        resource: 'ahp-root://',
        fromSeq: answer.serverSeq,
        state: {
          agents: [{ provider: 'claude', displayName: 'Claude', models: [{ id: 'default' }] }],
        },
      },
    ],
  })
  const old = await ahpClient(bearer(server))
  const versions = { protocolVersions: ['1.0.0', '0.8.0'], clientId: 'c' }
  expect(await old.ask('initialize', versions)).toMatchObject({
    error: { code: -32005, data: { supportedVersions: ['^0.9.0'] } },
  })
  expect(await old.closed).toBe(1008)
})

test('[AH2] what cannot be read, is not known or misses something is answered in words, and the connection stays', async () => {
  const server = await openTestServer()
  const client = await ahpClient(bearer(server))
  const malformed: [string | Buffer, number][] = [
    ['{', -32700],
    ['', -32700],
    [Buffer.from([0xff, 0xfe]), -32700],
    ['[]', -32600],
    ['null', -32600],
    ['{"jsonrpc":"1.0","method":"ping"}', -32600],
    [`${'['.repeat(40)}${']'.repeat(40)}`, -32700],
  ]
  for (const [frame, code] of malformed) {
    const answered = client.untilError()
    client.send(frame)
    const { error } = await answered
    expect([error.code, error.message.length > 5]).toEqual([code, true])
  }
  await client.initialize()
  expect(await client.ask('constructor')).toMatchObject({ error: { code: -32601 } })
  expect(await client.ask('createTerminal')).toMatchObject({ error: { code: -32601 } })
  expect(await client.ask('subscribe', {})).toMatchObject({ error: { code: -32602 } })
  expect(await client.ask('subscribe', { channel: 'claude:/nothing' })).toMatchObject({
    error: { code: -32001 },
  })
  expect(await client.ask('ping')).toMatchObject({ result: null })
})

test('[AH3] sessions are listed, and told of as they begin, change and go; drafts are not', async () => {
  const server = await openTestServer()
  const { begin } = await withAgent(server)
  const { key } = await begin({ content: 'Hello there' })
  await begin({})
  const client = await ahpClient(bearer(server))
  await client.initialize()
  const { items } = await client.result('listSessions', { channel: 'ahp-root://' })
  const id = key.slice('session:'.length)
  expect(items).toMatchObject([
    { resource: `claude:/${id}`, provider: 'claude', title: 'Hello there' },
  ])
  const second = await begin({ title: 'Another' })
  const added = await client.until(({ method }) => method === 'root/sessionAdded')
  expect(added.params.summary).toMatchObject({ title: 'Another', status: 33 })
  const path = `/api/conversations/${encodeURIComponent(second.key)}`
  await server.ask(path, { method: 'PATCH', body: { title: 'Renamed', archived: true } })
  const changed = await client.until(
    ({ method, params }) =>
      method === 'root/sessionSummaryChanged' && params.changes.title === 'Renamed',
  )
  expect(changed.params.session).toBe(added.params.summary.resource)
  await client.until(({ params }) => params?.changes?.status === 33 + 64)
  await server.ask(path, { method: 'DELETE' })
  const removed = await client.until(({ method }) => method === 'root/sessionRemoved')
  expect(removed.params.session).toBe(added.params.summary.resource)
  await server.ask('/api/agents', {
    method: 'POST',
    body: { ...agent, id: '9_agent', name: 'Nine' },
  })
  const agents = await client.until(({ params }) => params?.action?.type === 'root/agentsChanged')
  const providers = agents.params.action.agents.map((each: { provider: string }) => each.provider)
  expect(providers).toContain('claude')
  // A scheme cannot begin with a digit.
  expect(providers).toContain(`x-holdfast-${Buffer.from('9_agent').toString('hex')}`)
})

test('[AH10] who pinged and is silent for a minute is ended, nobody else', async () => {
  const server = await openTestServer()
  const [silent, pinging, other] = [
    await ahpClient(bearer(server)),
    await ahpClient(bearer(server)),
    await ahpClient(bearer(server)),
  ]
  for (const client of [silent, pinging, other]) await client.initialize()
  await silent.ask('ping')
  for (let beat = 1; beat <= 5; beat++) {
    await pinging.ask('ping')
    server.clock.advance(15_000)
  }
  expect(await silent.closed).toBe(4008)
  expect(await pinging.ask('ping')).toMatchObject({ result: null })
  expect(await other.ask('ping')).toMatchObject({ result: null })
})
