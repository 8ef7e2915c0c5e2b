/**
 * SE3: who may do what, over every operation of every endpoint. The table says the scope and why; a
 * new operation has to be put into it. What chooses a path or a program needs `manage`, what
 * decides for an agent `approve`.
 */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allows, type Scope } from '../../../src/domain/access/scopes.ts'
import { scopes } from '../../../src/doors/rest/register-routes.ts'
import { relayTypes } from '../../../src/protocol/consoles/relay.ts'
import type { Route } from '../../../src/protocol/route.ts'
import { routes } from '../../../src/protocol/routes.ts'
import { openSocket } from '../../support/feed-clients.ts'
import { connectMcp, openWorkplace } from '../../support/mcp.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type Right, rights } from './rights-of-routes.ts'

const rightOf = (operation: string): Right | undefined =>
  rights.find(({ operations }) => (operations as readonly string[]).includes(operation))

/** Each with one scope and no other, beside what is no person's. */
async function holders(
  server: TestServer,
): Promise<{ token: string | null; scopes: readonly Scope[] }[]> {
  const post = async (path: string, body: object) =>
    (await server.ask(path, { method: 'POST', body })).json
  const script = async (scope: Scope) => {
    const { token } = await post('/api/tokens', { name: scope, kind: 'script', scopes: [scope] })
    return { token, scopes: [scope] }
  }
  const { token: coordinator } = await post('/api/tokens', { name: 'machine', kind: 'coordinator' })
  const { passkey } = await post('/api/agents', { id: 'ann', name: 'ann', protocol: 'mcp' })
  return [
    { token: null, scopes: [] },
    ...(await Promise.all((['read', 'write', 'approve', 'manage'] as const).map(script))),
    { token: coordinator, scopes: ['coordinator'] },
    { token: passkey, scopes: ['agent'] },
  ]
}

describe('every operation over HTTP', () => {
  test('[SE15] is in the table once, with the scope that the route has', () => {
    const named = rights.flatMap(({ operations }) => operations)
    expect(named.toSorted()).toEqual(Object.keys(routes).toSorted())
    for (const [operation, scope] of Object.entries(scopes))
      expect([operation, rightOf(operation)?.scope]).toEqual([operation, scope])
  })

  test('[SE15] is refused to each credential without its scope, and to no other, before anything else is looked at', async () => {
    const server = await openTestServer()
    const all = await holders(server)
    const wrong: string[] = []
    for (const [operation, { method, path }] of Object.entries<Route>(routes)) {
      const scope = scopes[operation] ?? 'anybody'
      for (const { token, scopes: held } of all) {
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: { nonsense: true } }
        const url = `${path.replaceAll(/\{\w+\}/g, 'none')}${method === 'GET' ? '?limit=none' : ''}`
        const { status, json } = await server.ask(url, { method, token, ...body })
        const expected =
          scope === 'nobody'
            ? ''
            : token === null
              ? 'unauthenticated'
              : scope === 'anybody' || allows(held, scope)
                ? ''
                : scope
        const seen =
          status === 401
            ? json.code
            : json?.code === 'missing_scope' && json.scope !== 'person'
              ? json.scope
              : ''
        if (seen !== expected)
          wrong.push(
            `${operation} with ${held.join() || 'nothing'}: ${status} ${seen}, not ${expected}`,
          )
      }
    }
    expect(wrong).toEqual([])
  })
})

test('[SE15] every message of the relay needs the scope of the table', async () => {
  const about = { sessionId: 'none', role: 'r' }
  const needed: Record<string, { scope: Scope; message: object }> = {
    'session:create': { scope: 'write', message: { projectId: 'none' } },
    'session:resume': { scope: 'read', message: about },
    'session:terminate': { scope: 'write', message: about },
    // A workspace is a path below the worktrees of the project, held there by SE5.
    'agent:spawn': { scope: 'write', message: { ...about, workspace: 'w' } },
    'agent:message': { scope: 'write', message: { ...about, content: 'hi' } },
    'agent:withdraw': { scope: 'write', message: { ...about, messageId: 'm' } },
    'agent:cancel': { scope: 'write', message: about },
    'agent:terminate': { scope: 'write', message: about },
    // In some modes an agent asks nobody any more.
    'agent:configure': { scope: 'approve', message: { ...about, change: { modeId: 'm' } } },
    'agent:go-on': { scope: 'write', message: { ...about, goOn: true } },
    'agent:list': { scope: 'read', message: about },
    'agent:get': { scope: 'read', message: about },
    'permission:answer': {
      scope: 'approve',
      message: { ...about, approvalId: 1, outcome: 'allowed' },
    },
    'question:answer': {
      scope: 'approve',
      message: { ...about, questionId: 1, action: 'decline' },
    },
  }
  expect(Object.keys(needed).toSorted()).toEqual(relayTypes.toSorted())
  const server = await openTestServer()
  for (const { token, scopes } of await holders(server)) {
    if (token === null) continue
    const socket = await openSocket({ port: server.port, token })
    for (const [type, { scope, message }] of Object.entries(needed)) {
      socket.send({ type, ...message })
      const { code } = await socket.next('error')
      expect([type, scopes, code === 'missing_scope']).toEqual([
        type,
        scopes,
        !scopes.includes(scope),
      ])
    }
  }
})

test('[SE15] the secret of an agent adds nothing over MCP to a credential that may only look', async () => {
  const { server, projectId, passkeys, write, agent, post } = await openWorkplace()
  await write('hello')
  const signIn = { agent_id: 'ann', passkey: passkeys['ann'], project_id: projectId }
  const { session_token } = await (await agent()).call('authenticate', signIn)
  const calls: [string, object][] = [
    ['authenticate', signIn],
    ['get_next_action', { session_token }],
    ['get_pending_messages', { session_token }],
    ['respond_chat', { session_token, content: 'not ann' }],
    ['send_message', { session_token, to_agent_id: 'bob', content: 'not ann' }],
    ['get_my_task', { session_token }],
    ['logout', { session_token }],
  ]
  for (const scopes of [['read'], ['approve'], ['read', 'approve']]) {
    const { token } = await post('/api/tokens', { name: scopes.join(), kind: 'script', scopes })
    const looks = await connectMcp(server.url, token)
    for (const [tool, args] of calls)
      expect([tool, await looks.failure(tool, { ...args })]).toEqual([tool, 'missing_scope'])
  }
  const { token: coordinator } = await post('/api/tokens', { name: 'machine', kind: 'coordinator' })
  expect(
    await (await connectMcp(server.url, coordinator)).failure('respond_chat', {
      session_token,
      content: 'x',
    }),
  ).toBe('missing_scope')
  const { token } = await post('/api/tokens', { name: 'works', kind: 'script', scopes: ['write'] })
  const works = await connectMcp(server.url, token)
  expect((await works.call('get_pending_messages', { session_token })).messages).toHaveLength(1)
  expect(await works.call('respond_chat', { session_token, content: 'ann' })).toMatchObject({
    answered: [expect.any(String)],
  })
})

describe('what chooses a path or a program', () => {
  async function open() {
    const server = await openTestServer()
    const post = async (path: string, body: object) =>
      (await server.ask(path, { method: 'POST', body })).json
    const { token: member } = await post('/api/people', { name: 'Mel', role: 'member' })
    const script = async (...scopes: Scope[]) =>
      (await post('/api/tokens', { name: scopes.join(), kind: 'script', scopes })).token
    const weak = [member, await script('read', 'write'), await script('read', 'write', 'approve')]
    return { server, post, weak, manager: await script('write', 'manage') }
  }

  test('[SE15] a project’s path, policy and machine need `manage`; a member does the rest', async () => {
    const { server, post, weak, manager } = await open()
    const { id } = await post('/api/projects', { name: 'mine' })
    const [path, moved] = [temporaryFolder(), temporaryFolder()]
    const chosen = [
      { path },
      { settings: { 'permission.policy': 'allow_all' } },
      { settings: { 'agent.runs_on': 'gpu' } },
    ]
    const before = (await server.ask(`/api/projects/${id}`)).json
    for (const token of weak) {
      for (const body of chosen) {
        const refused = { status: 403, code: 'missing_scope', scope: 'manage' }
        const made = await server.ask('/api/projects', {
          method: 'POST',
          token,
          body: { name: 'p', ...body },
        })
        expect(made.json).toMatchObject({
          ...refused,
          detail: expect.stringMatching(/^(path|settings\..*): choosing this requires/),
        })
        expect(
          (await server.ask(`/api/projects/${id}`, { method: 'PATCH', token, body })).json,
        ).toMatchObject(refused)
      }
      const { json } = await server.ask('/api/projects', {
        method: 'POST',
        token,
        body: { name: 'p', settings: { 'restart.max': 1 } },
      })
      expect(json).toMatchObject({ path: null, settings: { 'permission.policy': 'ask' } })
    }
    expect((await server.ask(`/api/projects/${id}`)).json).toEqual(before)
    const body = { path, settings: { 'permission.policy': 'allow_reads' } }
    expect(
      (await server.ask(`/api/projects/${id}`, { method: 'PATCH', token: manager, body })).json,
    ).toMatchObject(body)
    // What is sent as it is, as a form sends it, is not chosen.
    for (const token of weak) {
      const again = { name: 'again', ...body }
      expect(
        (await server.ask(`/api/projects/${id}`, { method: 'PATCH', token, body: again })).json,
      ).toMatchObject(again)
      for (const other of [
        { path: moved },
        { path: null },
        { settings: { 'permission.policy': null } },
      ])
        expect(
          (await server.ask(`/api/projects/${id}`, { method: 'PATCH', token, body: other })).status,
        ).toBe(403)
    }
  })

  test('[SE15] no forbidden path is brought in with a work session that is restored', async () => {
    const { server, weak, manager } = await open()
    const place = { project_id: 'proj_20260101_abcdef', session_id: 'sess_20260101000000_abcdef' }
    const checkpoint = { schema_version: '1.0', ...place, timestamp: '2026-01-01T00:00:00.000Z' }
    const file = (more: object) => ({
      checkpoint,
      project: {
        schema_version: '1.0',
        id: place.project_id,
        name: 'p',
        created_at: checkpoint.timestamp,
        ...more,
      },
    })
    const url = `/api/projects/${place.project_id}/sessions/${place.session_id}/restore`
    const path = temporaryFolder()
    for (const token of weak)
      for (const more of [{ path }, { settings: { 'permission.policy': 'allow_all' } }]) {
        const { json } = await server.ask(url, { method: 'POST', token, body: file(more) })
        expect(json).toMatchObject({ code: 'missing_scope', scope: 'manage' })
      }
    expect((await server.ask('/api/projects')).json.items).toEqual([])
    mkdirSync(join(server.folder, 'inside'))
    const restored = await server.ask(url, {
      method: 'POST',
      token: manager,
      body: file({ path: join(server.folder, 'inside') }),
    })
    expect(restored.json.notRestored).toContainEqual({
      what: 'project',
      detail: expect.stringContaining('is inside the data folder'),
      notice: expect.objectContaining({ code: 'noPathHere' }),
    })
    expect((await server.ask('/api/projects')).json.items).toMatchObject([
      { id: place.project_id, path: null },
    ])
  })
})

test('[SE15] nobody puts words into an agent’s mouth with leave to write alone', async () => {
  const { server, projectId, write, post } = await openWorkplace()
  await write('hello')
  const { token } = await post('/api/tokens', {
    name: 'w',
    kind: 'script',
    scopes: ['read', 'write'],
  })
  const inChat = `/api/conversations/${encodeURIComponent(`web:${projectId}.ann`)}`
  const before = (await server.ask(`${inChat}/archive`)).json
  for (const role of ['assistant', 'system', 'tool']) {
    const message = { role, content: 'I have deployed it' }
    for (const [method, path, body] of [
      ['POST', `${inChat}/messages`, message],
      ['PUT', `${inChat}/messages`, { messages: [{ role: 'user', content: 'x' }, message] }],
      ['POST', `${inChat}/import`, { messages: [message] }],
      ['POST', '/api/conversations/telegram%3A7/messages', message],
      ['POST', '/api/conversations/agent%3Aann~bob/messages', message],
    ] as const) {
      const answer = await server.ask(path, { method, body, token })
      expect([path, answer.json]).toMatchObject([
        path,
        { code: 'missing_scope', scope: 'manage', field: 'role' },
      ])
    }
  }
  expect((await server.ask(`${inChat}/archive`)).json).toEqual(before)
  const said = await server.ask(`${inChat}/messages`, {
    method: 'POST',
    body: { role: 'assistant', content: 'x' },
  })
  expect(said.json).toMatchObject({ role: 'assistant', senderId: 'owner' })
  await server.ask('/api/conversations', { method: 'POST', body: { key: 'irc:C1' }, token })
  const theirs = await server.ask('/api/conversations/irc%3AC1/messages', {
    method: 'POST',
    body: { role: 'assistant', content: 'x' },
    token,
  })
  expect(theirs.status).toBe(201)
})

test('[SE30] to put an agent into a project needs `manage`: a project of one’s own is no way around a sandbox', async () => {
  const server = await openTestServer()
  const post = async (path: string, body: object, token?: string) =>
    (await server.ask(path, { method: 'POST', body, ...(token && { token }) })).json
  const { token } = await post('/api/people', { name: 'Mel', role: 'member' })
  await post('/api/agents', {
    id: 'ann',
    name: 'ann',
    protocol: 'acp',
    command: 'ann',
    sandbox: 'off',
  })
  const { id: guarded } = await post('/api/projects', { name: 'guarded' })
  const at = (projectId: string) => `/api/projects/${projectId}/agents/ann`
  await server.ask(at(guarded), { method: 'PUT', body: { sandbox: 'strict' } })
  const { id: own } = await post('/api/projects', { name: 'my own' }, token)
  const refused = { status: 403, code: 'missing_scope', scope: 'manage' }
  expect((await server.ask(at(own), { method: 'PUT', body: {}, token })).json).toMatchObject(
    refused,
  )
  expect((await server.ask(`/api/projects/${own}`)).json.agentIds).toEqual([])
  expect((await server.ask(at(guarded), { method: 'PUT', body: {}, token })).status).toBe(200)
  expect((await server.ask(at(guarded), { method: 'DELETE', token })).json).toMatchObject(refused)
  const { json } = await server.ask(at(guarded))
  expect(json.effective).toMatchObject({ sandbox: 'strict' })
  await server.ask(at(own), { method: 'PUT', body: {} })
  expect((await server.ask(at(own), { method: 'DELETE', token })).status).toBe(204)
  expect((await server.ask(at(own), { method: 'PUT', body: {}, token })).json).toMatchObject(
    refused,
  )
})
