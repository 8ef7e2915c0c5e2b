/**
 * How an agent's processes are isolated, as chosen over the wire: of its entry, and of its
 * assignment to a project.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../../src/platform/processes/sandbox-probe.ts'
import { playCoordinator } from '../../support/played-coordinator.ts'
import { openTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const entry = { id: 'codex', name: 'Codex', protocol: 'mcp', command: '/bin/agent', args: ['--x'] }

test('[SB1] an entry without a sandbox is off; what is chosen is kept, changed and taken back field by field', async () => {
  const { ask } = await openTestServer()
  const none = { sandbox: 'off', allow: { folders: [], hosts: [], state: [] }, wrapper: null }
  expect((await ask('/api/agents', { method: 'POST', body: entry })).json).toMatchObject(none)
  const hosts = ['API.example.com', '*.example.org', 'localhost:11434']
  const allow = { folders: ['/srv/data'], hosts, state: ['/home/ada/.thing'] }
  const change = async (body: object) =>
    (await ask('/api/agents/codex', { method: 'PATCH', body })).json
  const kept = {
    sandbox: 'strict',
    allow: { ...allow, hosts: ['api.example.com', '*.example.org', 'localhost:11434'] },
  }
  expect(
    await change({ sandbox: 'strict', allow, wrapper: ['nix', 'develop', '-c'] }),
  ).toMatchObject(kept)
  expect(await change({ name: 'Other' })).toMatchObject({
    ...kept,
    wrapper: ['nix', 'develop', '-c'],
  })
  expect(await change({ allow: null, wrapper: null })).toMatchObject({ ...none, sandbox: 'strict' })
  expect((await ask('/api/agents/codex')).json).toMatchObject({ ...none, sandbox: 'strict' })
})

test.each([
  [{ sandbox: 'open' }, 'sandbox'],
  [{ allow: { folders: ['relative'] } }, 'allow'],
  [{ allow: { folders: ['/'] } }, 'allow'],
  [{ allow: { folders: ['/srv/../etc'] } }, 'allow'],
  [{ allow: { state: ['.thing'] } }, 'allow'],
  [{ allow: { state: ['/home/ada/../ben'] } }, 'allow'],
  [{ allow: { hosts: ['http://example.com/'] } }, 'allow'],
  [{ allow: { hosts: ['a b'] } }, 'allow'],
  [{ allow: { ports: [1] } }, 'allow'],
  [{ wrapper: [] }, 'wrapper'],
  [{ wrapper: 'nix develop' }, 'wrapper'],
])('[SB1] what cannot be meant is refused by name and changes nothing: %j', async (body, field) => {
  const { ask } = await openTestServer()
  await ask('/api/agents', { method: 'POST', body: entry })
  const refused = await ask('/api/agents/codex', { method: 'PATCH', body })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.json)).toContain(field)
  expect((await ask('/api/agents/codex')).json).toMatchObject({ sandbox: 'off', wrapper: null })
})

test("[SB1] an assignment's choice goes before the agent's, what both allow is allowed, and a launch gets it", async () => {
  const { ask, url, ownerToken } = await openTestServer()
  const own = {
    sandbox: 'workplace',
    allow: { folders: ['/srv/a'], hosts: ['a.test'], state: ['/home/ada/.a'] },
  }
  await ask('/api/agents', { method: 'POST', body: { ...entry, ...own } })
  const project = (await ask('/api/projects', { method: 'POST', body: { name: 'p' } })).json
  const path = `/api/projects/${project.id}/agents/codex`
  expect((await ask(path)).status).toBe(404)
  await ask(path, { method: 'PUT', body: {} })
  expect((await ask(path)).json).toMatchObject({ sandbox: null, effective: own })
  await ask(path, {
    method: 'PUT',
    body: { sandbox: 'strict', allow: { hosts: ['b.test'], state: ['/home/ada/.b'] } },
  })
  const allow = {
    folders: ['/srv/a'],
    hosts: ['a.test', 'b.test'],
    state: ['/home/ada/.a', '/home/ada/.b'],
  }
  const both = { sandbox: 'strict', allow, wrapper: null }
  expect((await ask(path)).json).toMatchObject({
    sandbox: 'strict',
    allow: { hosts: ['b.test'] },
    effective: both,
  })
  const machine = await playCoordinator({ url, token: ownerToken })
  await ask(`/api/projects/${project.id}/chat/start?agentId=codex`, { method: 'POST' })
  const launch = await machine.take(await machine.ordered())
  expect(launch).toMatchObject({ isolation: both, command: '/bin/agent', args: ['--x'] })
})

test('[SB1] to choose it for an assignment, and to end one with a choice, needs `manage`, and so does the first assignment; to assign again does not', async () => {
  const { ask } = await openTestServer()
  await ask('/api/agents', { method: 'POST', body: entry })
  const project = (await ask('/api/projects', { method: 'POST', body: { name: 'p' } })).json
  const script = await ask('/api/tokens', {
    method: 'POST',
    body: { name: 's', kind: 'script', scopes: ['read', 'write'] },
  })
  const token = script.json.token
  const path = `/api/projects/${project.id}/agents/codex`
  expect((await ask(path, { method: 'PUT', body: { sandbox: 'off' }, token })).json.code).toBe(
    'missing_scope',
  )
  expect((await ask(path, { method: 'PUT', body: {}, token })).json.code).toBe('missing_scope')
  expect((await ask(path, { method: 'PUT', body: {} })).status).toBe(200)
  expect((await ask(path, { method: 'PUT', body: {}, token })).status).toBe(200)
  for (const chosen of [{ wrapper: ['/bin/evil'] }, { allow: { state: ['/home/ada/.ssh'] } }])
    expect((await ask(path, { method: 'PUT', body: chosen, token })).json.code).toBe(
      'missing_scope',
    )
  expect((await ask(path)).json).toMatchObject({ sandbox: null, wrapper: null })
  expect((await ask(path, { method: 'PUT', body: { sandbox: 'strict' } })).status).toBe(200)
  expect((await ask(path, { method: 'PUT', body: { sandbox: null }, token })).json.code).toBe(
    'missing_scope',
  )
  // To take it off and assign it again would end the sandbox.
  expect((await ask(path, { method: 'DELETE', token })).json.code).toBe('missing_scope')
  expect((await ask(path)).json).toMatchObject({ effective: { sandbox: 'strict' } })
  await ask(path, { method: 'PUT', body: { sandbox: null } })
  expect((await ask(path, { method: 'DELETE', token })).status).toBe(204)
})

const gateway = { upstream: 'https://models.test/v1', secret: 'MODEL_KEY' }
const key = 'sk-planted-0123456789'

test('[GW1] [GW2] a launch behind a gateway gets the key for its coordinator alone; without the secret it fails in words', async () => {
  const { ask, url, ownerToken } = await openTestServer()
  await ask('/api/agents', {
    method: 'POST',
    body: { ...entry, gateway: { upstream: 'http://other.test', secret: 'OTHER' } },
  })
  const project = (await ask('/api/projects', { method: 'POST', body: { name: 'p' } })).json
  const path = `/api/projects/${project.id}/agents/codex`
  await ask(path, { method: 'PUT', body: { gateway: { ...gateway, model: 'm-1' } } })
  expect((await ask(path)).json).toMatchObject({
    effective: { gateway: { ...gateway, model: 'm-1' } },
  })
  for (const bad of [
    'ftp://models.test',
    'https://u:p@models.test',
    'models.test',
    'https://models.test/?a=b',
  ])
    expect(
      (await ask(path, { method: 'PUT', body: { gateway: { ...gateway, upstream: bad } } })).status,
    ).toBe(400)
  const machine = await playCoordinator({ url, token: ownerToken })
  const start = () =>
    ask(`/api/projects/${project.id}/chat/start?agentId=codex`, { method: 'POST' })
  const { launchId } = (await start()).json.launch
  await expect
    .poll(async () => (await ask(`/api/processes/${launchId}`)).json)
    .toMatchObject({ state: 'ended', notice: { code: 'gatewayWithoutSecret' } })
  // The agent is chosen for the secret too, and still does not get what the gateway adds.
  await ask(`/api/projects/${project.id}/secrets/MODEL_KEY`, {
    method: 'PUT',
    body: { value: key, agentIds: ['codex'] },
  })
  await start()
  const launch = await machine.take(await machine.ordered())
  expect(launch).toMatchObject({
    command: '/bin/agent',
    gatewayKey: key,
    isolation: { gateway },
    env: {},
    secrets: { environment: {}, files: {} },
  })
  const uses = await ask(`/api/projects/${project.id}/secrets/MODEL_KEY/uses`)
  expect(uses.json.items).toMatchObject([{ agentId: 'codex', givenAs: 'gateway' }])
})

test('[GW5] what the gateway counted is kept once, by agent and model, also of a launch that is over', async () => {
  const { ask, url, ownerToken } = await openTestServer()
  await ask('/api/agents', { method: 'POST', body: entry })
  const project = (await ask('/api/projects', { method: 'POST', body: { name: 'p' } })).json
  await ask(`/api/projects/${project.id}/agents/codex`, { method: 'PUT', body: {} })
  const machine = await playCoordinator({ url, token: ownerToken })
  await ask(`/api/projects/${project.id}/chat/start?agentId=codex`, { method: 'POST' })
  const launchId = await machine.ordered()
  await machine.take(launchId)
  const of = { launchId, turnId: null, model: 'm' }
  const used = { inputTokens: 100, outputTokens: 20, cachedTokens: 3 }
  const usage = async () => (await ask(`/api/projects/${project.id}/model-usage`)).json.items
  await machine.tell({ type: 'model-asked', ...of })
  expect(await usage()).toEqual([
    {
      agentId: 'codex',
      model: 'm',
      requests: 1,
      inputTokens: 0,
      outputTokens: 0,
      cachedTokens: 0,
      atLeast: true,
    },
  ])
  const answered = { type: 'model-answered', ...of, ...used, finished: true } as const
  await machine.tell(answered)
  expect(await usage()).toEqual([
    { agentId: 'codex', model: 'm', requests: 1, ...used, atLeast: false },
  ])
  await machine.repeat(answered)
  await machine.tell({ type: 'model-asked', ...of, model: 'n' })
  await machine.exited(launchId, { exitCode: 0 })
  await machine.tell({
    type: 'model-answered',
    ...of,
    model: 'n',
    inputTokens: 7,
    outputTokens: 0,
    cachedTokens: 0,
    finished: false,
  })
  expect(await usage()).toMatchObject([
    { model: 'm', requests: 1, ...used, atLeast: false },
    { model: 'n', requests: 1, inputTokens: 7, atLeast: true },
  ])
  expect((await ask('/api/projects/none/model-usage')).status).toBe(404)
  const { text } = await ask('/metrics')
  for (const [model, what, count] of [
    ['m', 'requests', 1],
    ['m', 'inputTokens', 100],
    ['n', 'requests', 1],
  ])
    expect(text).toContain(
      `holdfast_gateway_total{agent="codex",model="${model}",what="${what}"} ${count}\n`,
    )
})

test('[SB8] an agent that is known and runs in a sandbox here is to have one; others, and over HTTP, have none', async () => {
  const { ask } = await openTestServer()
  const program = (text: string): string => {
    const file = join(temporaryFolder(), 'claude-agent-acp')
    writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    return file
  }
  const probe = async (command: string) =>
    (await ask('/api/sandbox-probe', { method: 'POST', body: { command } })).json
  const { works } = await probeSandbox(process.env)
  const fine = await probe(program('[ "$1" = --version ] && [ ! -e "$HOME/.ssh" ] && echo 1.0'))
  expect(fine).toMatchObject({
    machine: { works },
    agent: { known: true, runs: works },
    choose: works ? 'workplace' : 'off',
  })
  expect(await probe(program('exit 3'))).toMatchObject({
    agent: { known: true, runs: false },
    choose: 'off',
  })
  const wrapped = {
    command: program('[ "$IN_FRONT" = yes ]'),
    wrapper: ['/usr/bin/env', 'IN_FRONT=yes'],
  }
  expect((await ask('/api/sandbox-probe', { method: 'POST', body: wrapped })).json.agent).toEqual({
    known: true,
    runs: works,
  })
  expect(
    (await ask('/api/sandbox-probe', { method: 'POST', body: { ...wrapped, wrapper: null } })).json
      .agent.runs,
  ).toBe(false)
  expect(await probe('/nowhere/claude-agent-acp')).toMatchObject({
    agent: { runs: false },
    choose: 'off',
  })
  expect(await probe('npx')).toMatchObject({ agent: { runs: false }, choose: 'off' })
  expect(await probe('/bin/true')).toMatchObject({
    agent: { known: false, runs: false },
    choose: 'off',
  })
  expect((await ask('/api/sandbox-probe', { method: 'POST', body: {} })).status).toBe(400)
  expect((await ask('/api/agents', { method: 'POST', body: entry })).json.sandbox).toBe('off')
})

test('[AG15] an agent that never asks is told of: one that is known to, until it was tried; others when it was found out', async () => {
  const { ask } = await openTestServer()
  const add = async (id: string, command: string) =>
    (await ask('/api/agents', { method: 'POST', body: { id, name: id, protocol: 'acp', command } }))
      .json
  expect(await add('pi', '/usr/bin/pi-acp')).toMatchObject({ neverAsks: true })
  expect(await add('other', '/usr/bin/other')).toMatchObject({ neverAsks: false })
  const tried = async (agent: string, can: object) => {
    const body = { report: { agent, version: null, checks: [], can } }
    return (await ask(`/api/agents/${agent}`, { method: 'PATCH', body })).json
  }
  expect(await tried('pi', { permission: true })).toMatchObject({ neverAsks: false })
  expect(await tried('other', { permission: false, asks: false })).toMatchObject({
    neverAsks: true,
  })
  expect((await ask('/api/agents/other')).json).toMatchObject({ neverAsks: true })
})

test('[AG17] the answer of an agent that was tried goes with its launches, until its program is another', async () => {
  const { ask, url, ownerToken } = await openTestServer()
  await ask('/api/agents', { method: 'POST', body: { ...entry, sandbox: 'workplace' } })
  const change = async (body: object) =>
    (await ask('/api/agents/codex', { method: 'PATCH', body })).json
  const agentInfo = { name: 'gemini-cli', version: '0.61.0' }
  const report = { agent: 'codex', version: '0.61.0', checks: [], can: {}, agentInfo }
  expect(await change({ report })).toMatchObject({ report: { agentInfo } })
  const project = (await ask('/api/projects', { method: 'POST', body: { name: 'p' } })).json
  await ask(`/api/projects/${project.id}/agents/codex`, { method: 'PUT', body: {} })
  const machine = await playCoordinator({ url, token: ownerToken })
  await ask(`/api/projects/${project.id}/chat/start?agentId=codex`, { method: 'POST' })
  expect(await machine.take(await machine.ordered())).toMatchObject({ isolation: { agentInfo } })
  expect(await change({ name: 'Other', command: '/bin/agent' })).toMatchObject({
    report: { agentInfo },
  })
  expect(await change({ command: '/bin/other' })).toMatchObject({ report: null })
})
