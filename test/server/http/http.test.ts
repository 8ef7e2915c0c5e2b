/**
 * What every route has in common: answers of the documented shape, errors of one form, scopes (HT1,
 * HT2, SE3).
 */

import { expect, test } from 'vitest'
import type * as z from 'zod'
import { allows, type Scope } from '../../../src/domain/access/scopes.ts'
import { errorCatalogue } from '../../../src/domain/errors.ts'
import { scopes } from '../../../src/doors/rest/register-routes.ts'
import { hashSecret } from '../../../src/platform/secrets/secrets.ts'
import type { Route } from '../../../src/protocol/route.ts'
import { routes } from '../../../src/protocol/routes.ts'
import { authenticateAgent } from '../../../src/services/flows/agent-sessions/authenticate-agent.ts'
import { openSocket } from '../../support/feed-clients.ts'
import { playCoordinator } from '../../support/played-coordinator.ts'
import { type Answer, openTestServer, type TestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const list: [operation: string, route: Route][] = Object.entries(routes)

test('[HT1] every answer has the shape its route documents, times with milliseconds included', async () => {
  const server = await openTestServer()
  const answered = new Set<string>()
  const call: Call = async (operation, path, body) => {
    const route: Route = routes[operation]
    const answer = await server.ask(path, { method: route.method, body })
    expect(answer.status, `${operation} ${answer.text}`).toBe(route.status)
    expect(answer.headers['cache-control']).toBe('no-store')
    if (route.answer) {
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(strict(route.answer, answer.json), operation).toEqual(answer.json)
    } else if (route.status === 204) expect(answer.text).toBe('')
    else expect(answer.headers['content-type']).toBe(route.media)
    answered.add(operation)
    return answer
  }
  const project = (
    await call('createProject', '/api/projects', {
      name: 'p',
      path: temporaryFolder(),
      settings: {},
    })
  ).json
  const agent = (
    await call('createAgent', '/api/agents', {
      name: 'a',
      protocol: 'acp',
      command: 'x',
      env: { KEY: 'value' },
    })
  ).json
  const person = (await call('addPerson', '/api/people', { name: 'Mia', role: 'member' })).json
  const token = (
    await call('createToken', '/api/tokens', {
      name: 's',
      kind: 'script',
      expiresAt: '2027-01-01T00:00:00+02:00',
    })
  ).json
  const assigned = `/api/projects/${project.id}/agents/${agent.id}`
  await call('assignAgent', assigned, {}).then(() => call('getAssignment', assigned))
  await call('getProject', `/api/projects/${project.id}`)
  await call('changeProject', `/api/projects/${project.id}`, { name: 'q', path: null })
  await call('getAgent', `/api/agents/${agent.id}`).then(() =>
    call('changeAgent', `/api/agents/${agent.id}`, { name: 'b' }),
  )
  const { passkey } = (await call('replacePasskey', `/api/agents/${agent.id}/passkey`)).json
  await call('createSignInCode', '/api/sign-in-codes').then(() =>
    call('createTicket', '/api/tickets'),
  )
  await callWork(call, `/api/projects/${project.id}`)
  await callContinuity(call, server, `/api/projects/${project.id}`)
  await callProcesses(call, server, project.id)
  const chat = { projectId: project.id, toAgentId: agent.id, content: 'hi', clientId: 'c' }
  await call('startChat', `/api/projects/${project.id}/chat/start?agentId=${agent.id}`)
  await call('postMessage', '/api/chat', chat)
  const begun = { agentId: agent.id, content: 'a job' }
  await call('beginConversation', `/api/projects/${project.id}/conversations`, begun)
  await call('listMessages', `/api/projects/${project.id}/agents/${agent.id}/messages?hidden=true`)
  const pair = { projectId: project.id, agentId: agent.id }
  await server.store.run(authenticateAgent, { ...pair, passkeyHash: hashSecret(passkey) })
  await call('endChat', `/api/projects/${project.id}/agents/${agent.id}/chat/end`)
  await call('reportProcessExit', '/api/coordinator/process-exits', {
    ...pair,
    remainingProcesses: 0,
  })
  expect((await call('listAgentSessions', '/api/agent-sessions')).json.items).toHaveLength(1)
  const conversation = `/api/conversations/${encodeURIComponent('slack:C1')}`
  await server.ask('/api/conversations', { method: 'POST', body: { key: 'slack:C1' } })
  await call('getOrCreateConversation', '/api/conversations', { key: 'slack:C1' })
  await call('addMessage', `${conversation}/messages`, {
    role: 'tool',
    content: 'x',
    toolCallId: 't',
    media: [{ url: 'u' }],
  })
  await call('setHistory', `${conversation}/messages`, {
    messages: [{ role: 'user', content: 'x', toolCalls: [{}] }],
  })
  await call('getHistory', `${conversation}/messages`).then(() =>
    call('readArchive', `${conversation}/archive?around=2`),
  )
  expect((await call('search', '/api/search?q=x')).json.items).toHaveLength(2)
  await call('setConversationSummary', `${conversation}/summary`, { summary: 's' })
  await call('truncateHistory', `${conversation}/truncate`, { keepLast: 0 })
  for (const body of [{ localOnly: true, other: [1] }, undefined])
    await call(body ? 'setFlags' : 'getFlags', `${conversation}/flags`, body)
  await call('saveConversation', `${conversation}/save`)
  const [, { day }] = [
    await call('cutOverConversation', `${conversation}/cutover`, { now: '2100-01-01T00:00:00Z' }),
    (await call('listChapters', `${conversation}/chapters`)).json.items[0],
  ]
  await call('listChapterMessages', `${conversation}/chapters/${day}/messages`)
  for (const path of ['', `/${day}`])
    await call(path ? 'getNote' : 'listNotes', `/api/notes${path}`)
  await call('resetConversation', `${conversation}/reset`)
  await call('getConversation', conversation)
  await call('changeConversation', conversation, { title: 'The title' })
  await call('markSeen', `${conversation}/seen`, { seq: 1 })
  await call('importConversation', `${conversation}/import`, {
    messages: [{ role: 'user', content: 'from a file' }],
  })
  await call('listConversations', '/api/conversations')
  await call('deleteConversation', conversation)
  for (const operation of [
    'listProjects',
    'listAgents',
    'listPeople',
    'listTokens',
    'getMe',
    'getHealth',
    'getReadiness',
    'getDiskUse',
    'listEditorSettings',
    'listDetectedAgents',
    'listChannels',
  ] as const) {
    await call(operation, routes[operation].path)
  }
  for (const operation of ['getMetrics', 'getOpenApi', 'getDocs', 'getDocsStyle'] as const)
    await call(operation, routes[operation].path)
  await call('getSnapshot', `/api/snapshot?streams=home,project:${project.id},conversation:x:1`)
  const inProject = (path: string) => `/api/projects/${project.id}/${path}`
  await call('listAllowances', inProject('allowances')).then(() =>
    call('listModelUsage', inProject('model-usage')),
  )
  await call('listWorktrees', inProject('worktrees'))
  await call('changeSetUp', inProject('set-up'), { command: ['npm'], copy: [] }).then(() =>
    call('getSetUp', inProject('set-up')),
  )
  await call('getCutover', '/api/cutover').then(() =>
    call('setCutover', '/api/cutover', { hour: 5 }),
  )
  await call('unassignAgent', assigned).then(() => call('deleteAgent', `/api/agents/${agent.id}`))
  await call('deleteProject', `/api/projects/${project.id}`).then(() =>
    call('revokeToken', `/api/tokens/${token.id}`),
  )
  await call('changePerson', `/api/people/${person.id}`, { role: 'viewer' })
  await call('renewPerson', `/api/people/${person.id}/token`).then(() =>
    call('removePerson', `/api/people/${person.id}`),
  )
  await call('getLogin', '/api/login').then(() =>
    call('login', '/api/login', { token: server.ownerToken }),
  )
  await call('logout', '/api/logout')
  await call(
    'removeDevice',
    `/api/devices/${(await call('listDevices', '/api/devices')).json.items[0].id}`,
  )
  const others = list
    .map(([operation]) => operation)
    .filter((operation) => !answered.has(operation))
  expect(others.filter((operation) => operation !== 'watchEvents')).toEqual([
    ...[
      'listFolders',
      'listRepositories',
      'inspectAgent',
      'signInAgent',
      'getSignIn',
      'signOutAgent',
      ...['prepareAgent', 'getPreparation', 'answerPreparation', 'cancelPreparation'],
      ...['probeSandbox', 'listSecrets', 'setSecret'],
    ],
    ...['removeSecret', 'listSecretUses', 'warmConversation', 'goOnInChat'],
    ...['setChannelRoute', 'createPairingCode', 'listChannelChats', 'changeChannelChat'],
    ...['sendTestMessage', 'listChannelPeople', 'signOutChannelPerson'],
    ...['previewAgent', 'continueWithAgent'],
    ...['closeConversation', 'withdrawMessage', 'moveMessage', 'getThread'],
    ...[
      'listConversationTurns',
      'getConversationTurn',
      'findFiles',
      'stopTurns',
      'goOnInConversation',
      'getToolOutput',
      'getTurnDiff',
      'rewindToTurn',
    ],
    ...['undoRewind', 'forkFromTurn', 'beginTurn', 'getConversationContext'],
    ...['getConversationOptions', 'setConversationOption', 'takePastSession'],
    ...['listPastSessions', 'takePastSessions', 'listImportedSessions'],
    'deleteImportedSessions',
    ...['createUserSession', 'spawnAgent', 'promptRole'],
    ...[
      'getWorktree',
      'getWorktreeDiff',
      'getWorktreePatch',
      'getWorktreeLosses',
      'commitWorktree',
      'mergeWorktree',
    ],
    'removeWorktree',
    ...['getReview', 'setReviewed', 'listComments', 'addComment', 'changeComment'],
    ...['deleteComment', 'sendComments', 'listViewed', 'setViewed', 'planLanding'],
    ...['land', 'resolveConflict', 'undoLanding', 'listLandings', 'listHosts'],
    ...['setHost', 'removeHost', 'setRemote'],
    ...['resumeFromFile', 'restoreWorkSession', 'getArtifact'],
    ...['answerQuestion', 'revokeAllowance'],
  ])
})

type Call = (operation: keyof typeof routes, path: string, body?: unknown) => Promise<Answer>

async function callContinuity(call: Call, server: TestServer, at: string) {
  const { id } = (
    await server.ask(`${at}/sessions`, { method: 'POST', body: { contextSummary: 's', phase: 1 } })
  ).json
  const inside = `${at}/sessions/${id}`
  const approach = { kind: 'untried', category: 'c', description: 'd' }
  const recorded = (await call('recordApproach', `${inside}/approaches`, approach)).json
  await call('changeApproach', `${inside}/approaches/${recorded.id}`, { note: 'n' })
  await call('listApproaches', `${inside}/approaches`)
  await call('changeApproachOfProject', `${at}/approaches/${recorded.id}`, {
    kind: 'failed',
    failureReason: 'f',
  })
  await call('listProjectApproaches', `${at}/approaches`)
  // The first time each of these makes something, and is 201; the same again is 200.
  await server.ask(`${inside}/artifacts/a.json`, { method: 'PUT', body: { some: 'bytes' } })
  await call('putArtifact', `${inside}/artifacts/a.json`, { some: 'other bytes' })
  await call('listArtifacts', `${inside}/artifacts`)
  await call('deleteArtifact', `${inside}/artifacts/a.json`)
  await call('saveCheckpoint', `${inside}/checkpoint`)
  await server.ask(`${inside}/end`, { method: 'POST', body: { reason: 'lunch' } })
  await call('listInterrupted', '/api/sessions/interrupted')
  await call('dismissWorkSession', `${inside}/dismiss`)
  await call('previewResume', `${inside}/resume`)
  await server.ask(`${inside}/resume`, { method: 'POST' })
  await call('resumeWorkSession', `${inside}/resume`)
  await call('getLineage', `${at}/lineage`)
}

async function callProcesses(call: Call, server: TestServer, projectId: string) {
  const ask = (path: string, body: object, method = 'POST') => server.ask(path, { method, body })
  await ask('/api/agents', { id: 'puller', name: 'Puller', protocol: 'mcp', command: 'x' })
  await ask(`/api/projects/${projectId}/agents/puller`, {}, 'PUT')
  const machine = await playCoordinator({
    url: `http://127.0.0.1:${server.port}`,
    token: server.ownerToken,
  })
  await ask(`/api/projects/${projectId}/chat/start?agentId=puller`, {})
  const launchId = await machine.ordered()
  await machine.take(launchId)
  await machine.started(launchId)
  await call('listProcesses', '/api/processes')
  await call('getProcess', `/api/processes/${launchId}`)
  await call('stopProcess', `/api/processes/${launchId}/stop`)
  await call('releaseAgent', `/api/projects/${projectId}/agents/puller/release`)
  await call('listCoordinators', '/api/coordinators')
  await call('takeOverCoordinator', `/api/coordinators/${machine.id}/takeover`)
  const client = await openSocket({ port: server.port, token: server.ownerToken })
  client.send({ type: 'session:create', projectId })
  const path = `/api/user-sessions/${(await client.next('session:created'))['sessionId']}`
  await call('listUserSessions', '/api/user-sessions')
  await call('getUserSession', path)
  await call('listTurns', `${path}/turns`)
  await call('terminateUserSession', path)
}

async function callWork(call: Call, at: string) {
  const { id } = (
    await call('createWorkSession', `${at}/sessions`, { contextSummary: 's', phase: 1 })
  ).json
  await call('createTask', `${at}/tasks`, { ['sessionId']: id, phase: 1, type: 'code', title: 't' })
  const task = `${at}/tasks/task_p1_code_001`
  await call('changeTask', task, { status: 'in_progress', progressPercent: 5, result: { a: [1] } })
  await call('getTask', task)
  const about = { ['sessionId']: id, taskId: 'task_p1_code_001' }
  const draft = { ...about, checkpointType: 'c', leaderId: 'l', artifacts: ['a'] }
  const approval = `${at}/approvals/${(await call('createApproval', `${at}/approvals`, draft)).json.id}`
  const sentBack = { status: 'revision_requested', feedback: 'f' }
  await call('decideApproval', `${approval}/decision`, { ...sentBack, hold: 9 })
  await call('takeBackDecision', `${approval}/decision`)
  await call('decideApproval', `${approval}/decision`, sentBack)
  await call('resubmitApproval', `${approval}/resubmit`, { instructionContent: 'i' })
  await call('readApproval', approval)
  const byNumber = approval.replace(at, '/api')
  await call('readApprovalByNumber', byNumber)
  await call('decideApprovalByNumber', `${byNumber}/decision`, { status: 'approved', hold: 9 })
  await call('takeBackDecisionByNumber', `${byNumber}/decision`)
  await call('getWorkSession', `${at}/sessions/${id}`)
  await call('endWorkSession', `${at}/sessions/${id}/end`, { reason: 'lunch' })
  await call('listTasks', `${at}/tasks`)
  await call('listApprovals', `${at}/approvals`)
  await call('listWorkSessions', `${at}/sessions`)
  await call('listPendingApprovals', '/api/approvals')
}

/**
 * Nothing more and nothing less than documented: parsing drops what a schema does not know, and the
 * comparison shows it.
 */
const strict = (schema: z.ZodType, value: unknown): unknown => schema.parse(value)

test('[HT1] lists come page by page: 50 unless asked, at most 200, each thing once', async () => {
  const server = await openTestServer()
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      server.ask('/api/projects', { method: 'POST', body: { name: `p${index}` } }),
    ),
  )
  const first = (await server.ask('/api/projects')).json
  expect(first.items).toHaveLength(50)
  const second = (await server.ask(`/api/projects?cursor=${encodeURIComponent(first.nextCursor)}`))
    .json
  expect(second).toMatchObject({ nextCursor: null })
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(60)
  expect((await server.ask('/api/projects?limit=200')).json.items).toHaveLength(60)
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1.5',
    'limit=1&limit=2',
    'cursor=rubbish',
  ]) {
    expect((await server.ask(`/api/projects?${query}`)).json, query).toMatchObject({
      status: 400,
      code: 'invalid_request',
    })
  }
})

test('[HT2] what is wrong with the input is said in words that name the field, and nothing changes', async () => {
  const server = await openTestServer()
  const bad: [body: unknown, detail: RegExp][] = [
    [undefined, /expected object/],
    ['', /expected object/],
    ['{', /not JSON/],
    ['"text"', /expected object/],
    ['[]', /expected object/],
    [{}, /^name: /],
    [{ name: '' }, /^name: /],
    [{ name: 7 }, /^name: /],
    [{ name: 'x'.repeat(201) }, /^name: /],
    [{ name: 'a\u0000b' }, /^name: .*control characters/],
    [{ name: 'p', path: 'relative' }, /^path: must be an absolute path/],
    [{ name: 'p', path: '/a/../b' }, /^path: /],
    [{ name: 'p', more: 1 }, /more/],
    ['{"name":"p","__proto__":{"admin":true}}', /__proto__/],
    ['{"name":"p","settings":{"\\u005f_proto__":{}}}', /__proto__/],
    ['{"name":"p","constructor":{"prototype":{}}}', /constructor\.prototype/],
    [Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    [`${'['.repeat(33)}${']'.repeat(33)}`, /deeper than 32/],
  ]
  for (const [body, detail] of bad) {
    const headers = { 'content-type': 'application/json' }
    const answer = await server.ask('/api/projects', { method: 'POST', body, headers })
    expect(answer.json, String(body)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      detail: expect.stringMatching(detail),
    })
  }
  const setting = await server.ask('/api/projects', {
    method: 'POST',
    body: { name: 'p', settings: { 'chat.soft_timeout_minutes': -1 } },
  })
  expect(setting.json).toMatchObject({
    status: 422,
    code: 'invalid_setting',
    key: 'chat.soft_timeout_minutes',
  })
  expect((await server.store.positions(['home']))[0]?.head).toBe(0)
})

test('[HT2] errors are application/problem+json of one form, with the status of their code', async () => {
  const server = await openTestServer()
  const answers = [
    await server.ask('/api/nothing'),
    await server.ask('/api/projects/none'),
    await server.ask('/api/agents/none'),
    await server.ask('/api/projects', { method: 'DELETE' }),
    await server.ask('/api/me', { token: null }),
    await server.ask('/api/%zz'),
    await server.ask(`/api/projects/${'x'.repeat(2000)}`),
    await server.ask('/ws'),
    await server.ask('/api/projects', {
      method: 'POST',
      body: 'x=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    await server.ask('/api/projects', { method: 'POST', body: `"${'x'.repeat(1024 * 1024)}"` }),
  ]
  expect(answers.map(({ json }) => json.code)).toEqual([
    'not_found',
    'not_found',
    'agent_not_found',
    'method_not_allowed',
    'unauthenticated',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    'unsupported_media_type',
    'too_large',
  ])
  for (const { status, headers, json } of answers) {
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    const { status: listed, title, next } = errorCatalogue[json.code as keyof typeof errorCatalogue]
    expect(json).toMatchObject({
      status: listed,
      title,
      next,
      detail: expect.any(String),
      type: expect.stringMatching(/^https:/),
    })
    expect(status).toBe(listed)
  }
  expect(answers[3]?.headers.allow).toBe('GET, HEAD, POST')
  expect(answers[9]?.json.limit).toBe(1024 * 1024)
})

test('[HT2] an error that nobody foresaw is 500 with the request id, logged, and nothing of it leaves', async () => {
  const server = await openTestServer()
  const secret = 'the inner workings'
  const { check } = server.store
  server.store.check = () => Promise.reject(new Error(secret))
  const answer = await server.ask('/readyz')
  server.store.check = check
  expect(answer.json).toMatchObject({
    status: 500,
    code: 'internal',
    requestId: answer.headers['x-request-id'],
  })
  expect(answer.text).not.toContain(secret)
  expect(answer.text).not.toMatch(/\.ts|at /)
  const line =
    server
      .log()
      .split('\n')
      .find((each) => each.includes(secret)) ?? '{}'
  expect(JSON.parse(line)).toMatchObject({ level: 'error', requestId: answer.json.requestId })
})

test('[SE7] a secret in what was typed is masked in the error', async () => {
  const server = await openTestServer()
  const { code } = (await server.ask('/api/sign-in-codes', { method: 'POST' })).json
  for (const path of [
    `/api/projects/${code}`,
    `/api/agents/${code}`,
    `/api/snapshot?streams=${code}`,
    `/api/tokens/${code}`,
  ]) {
    const answer = await server.ask(path, {
      method: path.startsWith('/api/tokens') ? 'DELETE' : 'GET',
    })
    expect(answer.status, path).toBeGreaterThanOrEqual(400)
    expect(answer.text).not.toContain(code)
  }
})

test('[SE3] each route asks for its scope: owner, member, viewer, script, agent and coordinator get what is theirs', async () => {
  const server = await openTestServer()
  const make = async (path: string, body: object) =>
    (await server.ask(path, { method: 'POST', body })).json
  const credentials: [scopes: readonly Scope[], token: string][] = [
    [
      ['read', 'write', 'approve', 'manage'],
      (await make('/api/people', { name: 'o', role: 'owner' })).token,
    ],
    [
      ['read', 'write', 'approve'],
      (await make('/api/people', { name: 'm', role: 'member' })).token,
    ],
    [['read'], (await make('/api/people', { name: 'v', role: 'viewer' })).token],
    [
      ['write'],
      (await make('/api/tokens', { name: 's', kind: 'script', scopes: ['write'] })).token,
    ],
    [['agent'], (await make('/api/agents', { name: 'a', protocol: 'mcp' })).passkey],
    [['coordinator'], (await make('/api/tokens', { name: 'c', kind: 'coordinator' })).token],
  ]
  for (const [operation, { method, path, media }] of list) {
    const scope = scopes[operation] ?? 'anybody'
    if (media === 'text/event-stream') continue
    for (const [held, token] of credentials) {
      // Things that do not exist: who is let in gets 404 or 400, and nothing changes.
      const answer = await server.ask(path.replaceAll(/\{\w+\}/g, 'none'), { method, token })
      const allowed = scope === 'nobody' || scope === 'anybody' || allows(held, scope)
      const where = `${operation} with ${held}`
      if (allowed) expect(answer.status === 403 ? answer.json.scope : '', where).not.toBe(scope)
      else expect(answer.json, where).toMatchObject({ status: 403, code: 'missing_scope', scope })
    }
  }
})

test('[SE3] a scope that is missing is said before the body is read', async () => {
  const server = await openTestServer()
  const viewer = (
    await server.ask('/api/people', { method: 'POST', body: { name: 'v', role: 'viewer' } })
  ).json
  const answer = await server.ask('/api/projects', {
    method: 'POST',
    body: '{',
    token: viewer.token,
  })
  expect(answer.json.code).toBe('missing_scope')
})

test('[HT2] HEAD answers like GET without the body', async () => {
  const server = await openTestServer()
  const ask = async (path: string, method: string) => {
    const { status, headers, text } = await server.ask(path, { method })
    return { status, type: headers['content-type'], length: headers['content-length'], text }
  }
  for (const path of ['/healthz', '/api/me', '/api/projects/none', '/api/openapi.json']) {
    const { text, ...got } = await ask(path, 'GET')
    expect(text).not.toBe('')
    expect(await ask(path, 'HEAD')).toEqual({ ...got, text: '' })
  }
  expect((await ask('/api/events?streams=home', 'HEAD')).status).toBe(405)
})

test('[SE6] every answer carries the strict policy, also the refused ones', async () => {
  const server: TestServer = await openTestServer()
  const answers = [
    await server.ask('/'),
    await server.ask('/healthz'),
    await server.ask('/api/docs'),
    await server.ask('/api/nothing', { token: null }),
    await server.ask('/healthz', { headers: { host: 'evil.example' } }),
    await server.ask('/api/%zz'),
  ]
  for (const { headers } of answers) {
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*/)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(headers['x-powered-by']).toBeUndefined()
  }
  const raw = await server.raw('nonsense\r\n\r\n')
  expect(raw).toMatch(
    /^HTTP\/1.1 400 [\s\S]*content-security-policy: default-src 'none'[\s\S]*"code":"invalid_request"/,
  )
})
