/**
 * The MCP endpoint as a protocol: who gets in, what is listed, and that the short way and the SDK's
 * say the same.
 */
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { envelopeVersion, handshakeVersions } from '../../../src/doors/mcp/plain-call.ts'
import { connectMcp, openWorkplace, type ToolResult } from '../../support/mcp.ts'
import { type Answer, openTestServer, type TestServer } from '../../support/server.ts'

const newest = { versionNegotiation: { mode: { pin: envelopeVersion } } } as const
const both = 'application/json, text/event-stream'

const post = (
  server: TestServer,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  server.ask('/mcp', { method: 'POST', body, headers: { accept: both, ...headers } })

const callOf = (name: string, args: object = {}, meta?: object) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta ? { _meta: meta } : {}) },
})

const envelope = {
  'io.modelcontextprotocol/protocolVersion': envelopeVersion,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const envelopeHeaders = {
  'mcp-protocol-version': envelopeVersion,
  'mcp-method': 'tools/call',
  'mcp-name': 'get_my_task',
}

/** What came, as JSON or as the one event of a stream. */
const answerIn = ({ text, json }: Answer): ToolResult =>
  json ?? JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? 'null')

const toolsOfAgents = [
  'authenticate',
  'get_next_action',
  'get_pending_messages',
  'respond_chat',
  'get_history',
  'set_summary',
  'get_flags',
  'set_flags',
  'get_my_task',
  'update_task',
  'save_checkpoint',
  'get_resume_context',
  'record_approach',
  'request_approval',
  'get_approval',
  'request_folder',
  'list_comments',
  'answer_comment',
  'resolve_comment',
  'send_message',
  'logout',
]
const toolsOfCoordinators = ['get_agent_action', 'report_process_exit', 'invalidate_session']

test('[SE2] without a credential nobody gets in, and nothing is said about what is there', async () => {
  const server = await openTestServer()
  for (const method of ['POST', 'GET', 'DELETE', 'PUT'])
    for (const token of [null, 'hf_owner_wrong']) {
      const answer = await server.ask('/mcp', {
        method,
        token,
        ...(method === 'GET' ? {} : { body: callOf('get_my_task') }),
      })
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer'])
      expect(answer.text).not.toContain('tool')
    }
})

test('[MC1] clients of every era connect, and are told how to begin', async () => {
  const { server, agent } = await openWorkplace()
  const old = await agent()
  const modern = await agent('ann', newest)
  expect([old, modern].map(({ client }) => client.getNegotiatedProtocolVersion())).toEqual([
    '2025-11-25',
    envelopeVersion,
  ])
  for (const { client } of [old, modern]) {
    expect(client.getInstructions()).toContain('Call authenticate')
    expect(client.getServerVersion()).toMatchObject({ name: 'holdfast', version: '0.0.0-test' })
  }
  for (const version of handshakeVersions) {
    const params = {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'old', version: '1' },
    }
    const answer = await post(server, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect(answerIn(answer).result.protocolVersion).toBe(version)
  }
})

test('[MC1] the versions that the short way knows are the SDK’s', () => {
  expect([...handshakeVersions].toSorted()).toEqual(
    [...SUPPORTED_PROTOCOL_VERSIONS].filter((each) => each < envelopeVersion).toSorted(),
  )
})

test('[MC2] the tools are there, and [MC3] each has what a model needs to use it', async () => {
  const { agent } = await openWorkplace()
  const { tools } = await (await agent()).client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    ...toolsOfAgents,
    ...toolsOfCoordinators,
    'resume_from_file',
  ])
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    expect(title, name).toMatch(/^[A-Z].{5,80}/)
    expect(description?.length, name).toBeGreaterThan(80)
    expect(annotations, name).toEqual({
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: false,
    })
    expect([inputSchema.type, outputSchema?.type], name).toEqual(['object', 'object'])
    for (const argument of Object.keys(inputSchema.properties ?? {}))
      expect(argument).toMatch(/^[a-z]+(_[a-z]+)*$/)
    if (toolsOfCoordinators.includes(name)) expect(description).toContain('For coordinators')
    else if (name !== 'authenticate')
      expect(inputSchema.required ?? []).not.toContain('session_token')
  }
  const readOnly = tools
    .filter(({ annotations }) => annotations?.readOnlyHint)
    .map(({ name }) => name)
  expect(readOnly).toEqual([
    'get_history',
    'get_flags',
    'get_my_task',
    'get_resume_context',
    'get_approval',
    'list_comments',
    'get_agent_action',
  ])
})

test('[MC3] a wrong argument is a result that names it and says what to do', async () => {
  const { signedIn, write } = await openWorkplace()
  await write('hello')
  const ann = await signedIn()
  const wrong: [string, Record<string, unknown>, string][] = [
    ['respond_chat', {}, 'content'],
    ['respond_chat', { content: 5 }, 'content'],
    ['respond_chat', { content: 'x', sesion_token: 'y' }, 'sesion_token'],
    ['get_next_action', { wait_seconds: 601 }, 'wait_seconds'],
    ['get_next_action', { wait_seconds: -1 }, 'wait_seconds'],
    ['get_pending_messages', { session_token: '' }, 'session_token'],
    ['set_summary', { summary: '', through_seq: 1 }, 'summary'],
    ['send_message', { to_agent_id: 'bob', content: '' }, 'content'],
    ['get_approval', { approval_id: 'first' }, 'approval_id'],
    [
      'report_process_exit',
      { agent_id: 'ann', project_id: 'p', remaining_processes: -1 },
      'remaining_processes',
    ],
  ]
  for (const [tool, args, named] of wrong) {
    const received = await ann.call(tool, args)
    expect(received, tool).toMatchObject({
      code: 'invalid_request',
      next: expect.stringContaining('Correct the argument'),
    })
    expect(received.message, tool).toContain(named)
  }
})

test('[MC1] the short way and the SDK’s give the same answer', async () => {
  const { server, write, projectId, passkeys } = await openWorkplace()
  await write('hello')
  const signIn = { agent_id: 'ann', project_id: projectId, passkey: passkeys['ann'] }
  const { session_token } = answerIn(await post(server, callOf('authenticate', signIn))).result
    .structuredContent
  const calls = [
    callOf('get_next_action', { session_token }),
    callOf('get_pending_messages', { session_token }),
    callOf('get_my_task', { session_token }),
    callOf('get_my_task', { session_token: 'wrong' }),
    callOf('update_task', { session_token, nonsense: true }),
  ]
  for (const call of calls) {
    const short = await post(server, call)
    const long = await post(server, [call])
    expect(short.headers['content-type']).toBe('application/json')
    expect(long.headers['content-type']).toBe('text/event-stream')
    expect(answerIn(short)).toEqual(answerIn(long))
    const modern = { ...call, params: { ...call.params, _meta: envelope } }
    const headers = { ...envelopeHeaders, 'mcp-name': call.params.name }
    const shortModern = await post(server, modern, headers)
    // Who takes only JSON is the SDK's.
    const longModern = await post(server, modern, { ...headers, accept: 'application/json' })
    expect(answerIn(shortModern)).toEqual(answerIn(longModern))
    expect(answerIn(shortModern).result).toMatchObject({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': {} },
    })
  }
})

test('[MC1] what is wrong with a request is said by the SDK, also where a tool is called', async () => {
  const { server } = await openWorkplace()
  const call = callOf('get_my_task')
  const modern = callOf('get_my_task', {}, envelope)
  const cases: [what: string, answer: Promise<Answer>, status: number, code: number][] = [
    [
      'an unknown version',
      post(server, call, { 'mcp-protocol-version': '1999-01-01' }),
      400,
      -32000,
    ],
    ['an accept without streams', post(server, call, { accept: 'application/json' }), 406, -32000],
    [
      'a header that names another tool',
      post(server, modern, { ...envelopeHeaders, 'mcp-name': 'logout' }),
      400,
      -32020,
    ],
    [
      'a header that names another method',
      post(server, modern, { ...envelopeHeaders, 'mcp-method': 'ping' }),
      400,
      -32020,
    ],
    ['no header with an envelope', post(server, modern), 400, -32020],
    ['no message at all', post(server, { hello: 'world' }), 400, -32600],
  ]
  for (const [what, answer, status, code] of cases) {
    const { status: got, json } = await answer
    expect([got, json?.error?.code], what).toEqual([status, code])
  }
  for (const [what, message] of [
    ['an unknown tool', callOf('format_disk')],
    ['a name that every object has', callOf('constructor')],
    ['no name', { ...call, params: {} }],
  ] as const)
    expect(answerIn(await post(server, message)).error?.code, what).toBe(-32602)
  expect(
    answerIn(await post(server, { jsonrpc: '2.0', id: 1, method: 'no/such' })).error.code,
  ).toBe(-32601)
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const answer = await server.ask('/mcp', { method, headers: { accept: 'text/event-stream' } })
    expect([answer.status, answer.headers['allow']], method).toEqual([405, 'POST'])
  }
})

test('[SE8] a body that is too large, too deep or no JSON is refused before anybody looks at it', async () => {
  const server = await openTestServer()
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`
  expect((await post(server, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413)
  expect((await post(server, deep)).status).toBe(400)
  expect((await post(server, '{"jsonrpc":')).status).toBe(400)
  expect((await post(server, 'hello', { 'content-type': 'text/plain' })).status).toBe(415)
})

test('[SE7] no secret of a call is logged', async () => {
  const { server, agent, write, projectId, passkeys } = await openWorkplace()
  await write('hello')
  const owner = await connectMcp(server.url, server.ownerToken)
  const { session_token } = await owner.call('authenticate', {
    agent_id: 'ann',
    project_id: projectId,
    passkey: passkeys['ann'],
  })
  await owner.call('get_pending_messages', { session_token })
  await owner.call('get_pending_messages', {
    session_token: `${session_token}x`,
    [session_token]: 1,
  })
  await (await agent()).call('get_pending_messages')
  expect(server.log()).toContain('"tool":"get_pending_messages","code":"invalid_request"')
  for (const secret of [session_token, passkeys['ann'], server.ownerToken])
    expect(server.log()).not.toContain(secret)
})
