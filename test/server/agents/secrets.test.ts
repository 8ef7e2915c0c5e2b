/**
 * Secrets of projects over the wire: who gets them, who reads of them, and that no store, answer,
 * event or message holds one.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectMcp } from '../../support/mcp.ts'
import { playCoordinator } from '../../support/played-coordinator.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const value = 'vault-0123456789-"quoted"-abcdef'

async function open() {
  const server = await openTestServer()
  const put = (path: string, body: object, more = {}) =>
    server.ask(path, { method: 'PUT', body, ...more })
  for (const id of ['ann', 'bob']) {
    const body = {
      id,
      name: id,
      protocol: 'mcp',
      command: '/bin/agent',
      env: { REGION: 'west', TOKEN: 'of-the-entry' },
    }
    await server.ask('/api/agents', { method: 'POST', body })
  }
  const { id: projectId } = (
    await server.ask('/api/projects', { method: 'POST', body: { name: 'p' } })
  ).json
  for (const id of ['ann', 'bob']) await put(`/api/projects/${projectId}/agents/${id}`, {})
  const secrets = `/api/projects/${projectId}/secrets`
  const machine = await playCoordinator({ url: server.url, token: server.ownerToken })
  const launch = async (agentId: string): Promise<{ launchToken: string; launchId: string }> => {
    await server.ask(`/api/projects/${projectId}/chat/start?agentId=${agentId}`, { method: 'POST' })
    const launchId = await machine.ordered()
    return { ...(await machine.take(launchId)), launchId }
  }
  return { server, put, projectId, secrets, launch, machine }
}

const bytesOf = ({ folder }: TestServer): Buffer => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(folder, name),
  )
  return Buffer.concat(
    files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file)),
  )
}

test('[SR1] [SR2] a secret is set, listed and removed, and its value is in no answer, event or file', async () => {
  const { server, put, projectId, secrets } = await open()
  const headers = { 'idempotency-key': 'once' }
  const made = await put(`${secrets}/NPM_TOKEN`, { value, agentIds: ['ann'] }, { headers })
  expect([made.status, made.json]).toMatchObject([
    200,
    {
      name: 'NPM_TOKEN',
      givenAs: 'environment',
      agentIds: ['ann'],
      updatedBy: 'owner',
      lastUse: null,
    },
  ])
  expect(
    (await put(`${secrets}/NPM_TOKEN`, { value, agentIds: ['ann'] }, { headers })).json,
  ).toEqual(made.json)
  const changed = await put(`${secrets}/NPM_TOKEN`, {
    givenAs: 'file',
    agentIds: ['bob', 'ann', 'bob'],
  })
  expect(changed.json).toMatchObject({
    givenAs: 'file',
    agentIds: ['ann', 'bob'],
    createdAt: made.json.createdAt,
  })
  const listed = await server.ask(secrets)
  expect(listed.json.items).toEqual([changed.json])
  const { json: snapshot } = await server.ask(
    `/api/snapshot?streams=${encodeURIComponent(`project:${projectId}`)}`,
  )
  expect(JSON.stringify([made.json, listed.json, snapshot])).not.toContain('vault-')
  const bytes = bytesOf(server)
  expect([bytes.includes('secret-set'), bytes.includes('vault-')]).toEqual([true, false])
  expect((await server.ask(`${secrets}/NPM_TOKEN`, { method: 'DELETE' })).status).toBe(204)
  expect((await server.ask(secrets)).json.items).toEqual([])
  expect((await server.ask(`${secrets}/NPM_TOKEN`, { method: 'DELETE' })).json).toMatchObject({
    code: 'not_found',
    notice: { code: 'noSecret', params: { name: 'NPM_TOKEN' } },
  })
})

test('[SR1] what cannot be a secret is refused in words, and nothing has changed', async () => {
  const { server, put, secrets } = await open()
  const refused = async (name: string, body: object, path = secrets) =>
    (await put(`${path}/${name}`, body)).json
  expect(await refused('NEW', { agentIds: ['ann'] })).toMatchObject({
    field: 'value',
    detail: expect.stringContaining('NEW'),
  })
  expect(await refused('SHORT', { value: '1234567' })).toMatchObject({
    code: 'invalid_request',
    field: 'value',
  })
  expect(await refused('LONG', { value: 'x'.repeat(65_537) })).toMatchObject({
    code: 'invalid_request',
    field: 'value',
  })
  expect(await refused('NUL', { value: '12345678\u0000' })).toMatchObject({ field: 'value' })
  expect(await refused('with-dash', { value })).toMatchObject({
    code: 'invalid_request',
    field: 'name',
  })
  expect(await refused('HOLDFAST_URL', { value })).toMatchObject({
    field: 'name',
    detail: expect.stringContaining('HOLDFAST_'),
  })
  expect(await refused('A', { value, agentIds: ['nobody'] })).toMatchObject({
    code: 'agent_not_found',
  })
  expect(await refused('A', { value, given: 'file' })).toMatchObject({ code: 'invalid_request' })
  expect(await refused('A', { value }, '/api/projects/none/secrets')).toMatchObject({
    code: 'not_found',
  })
  expect((await server.ask(secrets)).json.items).toEqual([])
  for (let nth = 0; nth < 100; nth++)
    expect((await put(`${secrets}/S${nth}`, { value })).status).toBe(200)
  expect(await refused('S100', { value })).toMatchObject({
    notice: { code: 'secretsFull', params: { count: 100 } },
  })
  expect((await put(`${secrets}/S7`, { value })).status).toBe(200)
})

test('[SR3] [SR5] chosen agents get a secret as variable or file, others do not, and each launch is recorded', async () => {
  const { server, put, secrets, launch, machine } = await open()
  await put(`${secrets}/TOKEN`, { value, agentIds: ['ann'] })
  await put(`${secrets}/CERT`, { value: `${value}\n`, givenAs: 'file', agentIds: ['ann'] })
  const ann = await launch('ann')
  expect(ann).toMatchObject({
    env: { REGION: 'west' },
    secrets: { environment: { TOKEN: value }, files: { CERT: `${value}\n` } },
  })
  const bob = await launch('bob')
  expect(bob).toMatchObject({ env: { REGION: 'west' }, secrets: { environment: {}, files: {} } })
  const uses = async (name: string) => (await server.ask(`${secrets}/${name}/uses`)).json.items
  const use = { agentId: 'ann', launchId: ann.launchId }
  expect(await uses('TOKEN')).toEqual([
    { ...use, givenAs: 'environment', usedAt: expect.any(String) },
  ])
  expect(await uses('CERT')).toMatchObject([{ ...use, givenAs: 'file' }])
  expect((await server.ask(secrets)).json.items).toMatchObject([{ lastUse: use }, { lastUse: use }])
  // Taken again after a lost answer, it is one use.
  await machine.take(ann.launchId)
  expect(await uses('TOKEN')).toHaveLength(1)
  expect((await server.ask(`${secrets}/NONE/uses`)).json.code).toBe('not_found')
})

test('[SR3] an agent made again under the id of a deleted one, and a project’s successor, get nothing', async () => {
  const { server, put, projectId, secrets, launch } = await open()
  await put(`${secrets}/TOKEN`, { value, agentIds: ['ann'] })
  await server.ask('/api/agents/ann', { method: 'DELETE' })
  expect((await server.ask(secrets)).json.items).toMatchObject([{ name: 'TOKEN', agentIds: [] }])
  await server.ask('/api/agents', {
    method: 'POST',
    body: { id: 'ann', name: 'ann', protocol: 'mcp', command: '/bin/agent' },
  })
  await put(`/api/projects/${projectId}/agents/ann`, {})
  expect(await launch('ann')).toMatchObject({ secrets: { environment: {}, files: {} } })
  await server.ask(`/api/projects/${projectId}`, { method: 'DELETE' })
  expect((await server.ask(secrets)).json.code).toBe('not_found')
})

test('[SR4] what an agent sends over MCP is masked before it is kept, for who has the secret alone', async () => {
  const { server, put, projectId, secrets, launch, machine } = await open()
  await put(`${secrets}/TOKEN`, { value, agentIds: ['ann'] })
  const say = async (agentId: string) => {
    await server.ask('/api/chat', {
      method: 'POST',
      body: { projectId, toAgentId: agentId, content: 'hello' },
    })
    const { launchToken, launchId } = await launch(agentId)
    await machine.started(launchId)
    const mcp = await connectMcp(server.url, launchToken)
    const { session_token } = await mcp.call('authenticate', {
      agent_id: agentId,
      project_id: projectId,
    })
    await mcp.call('get_pending_messages', { session_token })
    await mcp.call('respond_chat', {
      session_token,
      content: `the token is ${value}, and as JSON ${JSON.stringify(value)}`,
    })
    const key = encodeURIComponent(`web:${projectId}.${agentId}`)
    return (await server.ask(`/api/conversations/${key}/archive`)).json.items.at(-1).content
  }
  expect(await say('ann')).toBe('the token is [masked], and as JSON "[masked]"')
  expect(await say('bob')).toContain(value)
})
