/**
 * All of the stable protocol, with one scripted agent: every method of ours is called, every
 * request of an agent is answered, every kind of update and content is shown or named. What there
 * is, is read from the library's own schema, so that a later version of it with more fails here.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { AcpAgent } from '../../support/acp-agent.ts'
import { hostile } from '../../support/hostile-agent.ts'

type Definition = Readonly<Record<string, unknown>>
const library = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk')
const schemaFile = join(dirname(library), '../../../schema/v1/schema.json')
const { $defs: definitions } = JSON.parse(readFileSync(schemaFile, 'utf8')) as {
  $defs: Record<string, Definition>
}

const methodsOf = (side: string): string[] => [
  ...new Set(
    Object.values(definitions).flatMap((each) =>
      each['x-side'] === side && each['x-method'] ? [String(each['x-method'])] : [],
    ),
  ),
]

/** The values of the field that tells the variants of a definition apart. */
const kindsOf = (name: string, field: string): string[] =>
  ((definitions[name]?.['oneOf'] ?? []) as { properties: Record<string, { const: string }> }[]).map(
    ({ properties }) => properties[field]?.const ?? '',
  )

const text = (words: string): object => ({ type: 'text', text: words })
const blocks: Record<string, object> = {
  text: text('words'),
  image: { type: 'image', mimeType: 'image/png', data: 'AAAA' },
  audio: { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
  resource_link: { type: 'resource_link', name: 'a link', uri: 'file:///a' },
  resource: { type: 'resource', resource: { uri: 'file:///b', text: 'of b' } },
}
const callContents: Record<string, object> = {
  content: { type: 'content', content: text('of a call') },
  diff: { type: 'diff', path: '/a.txt', oldText: 'old', newText: 'new' },
  terminal: { type: 'terminal', terminalId: 't1' },
}
const option = { id: 'fast', name: 'Fast', type: 'boolean', currentValue: true }
const compaction = { compactionId: 'c1' }
const updates: Record<string, object[]> = {
  user_message_chunk: [{ content: text('hello') }],
  agent_message_chunk: Object.values(blocks).map((content, at) => ({
    content,
    messageId: `m${at}`,
  })),
  agent_thought_chunk: [{ content: text('hm') }],
  tool_call: [
    {
      toolCallId: 'call',
      title: 'A call',
      kind: 'edit',
      status: 'pending',
      content: Object.values(callContents),
    },
  ],
  tool_call_update: [
    { toolCallId: 'call', status: 'completed', rawOutput: { stdout: 'out', exit_code: 0 } },
  ],
  plan: [{ entries: [{ content: 'a step', priority: 'high', status: 'in_progress' }] }],
  available_commands_update: [{ availableCommands: [{ name: 'go', description: 'goes' }] }],
  current_mode_update: [{ currentModeId: 'plan' }],
  config_option_update: [{ configOptions: [option] }],
  session_info_update: [{ title: 'A title' }],
  usage_update: [{ used: 1, size: 2 }],
  notice: [{ severity: 'warning', title: 'Careful' }],
  compaction_update: [{ ...compaction, status: 'in_progress' }],
  compaction_summary_chunk: [{ ...compaction, content: text('short') }],
}
/** Known, and nothing for a person: the echo of what was said. */
const notShown = ['user_message_chunk']

const requests: Record<string, object> = {
  'fs/write_text_file': { path: '/x', content: 'x' },
  'fs/read_text_file': { path: '/etc/hostname' },
  'terminal/create': { command: 'true' },
  'terminal/output': { terminalId: 't1' },
  'terminal/release': { terminalId: 't1' },
  'terminal/wait_for_exit': { terminalId: 't1' },
  'terminal/kill': { terminalId: 't1' },
  'session/request_permission': {
    toolCall: { toolCallId: 'call' },
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  },
  'elicitation/create': {
    mode: 'form',
    message: 'Which?',
    requestedSchema: { type: 'object', properties: {} },
  },
}
const notifications = ['session/update', 'elicitation/complete']
/** Offered to no agent, so refused with the code of an unknown method. */
const refused = Object.keys(requests).filter((method) => /^(?:fs|terminal)\//.test(method))

const offered = {
  protocolVersion: 1,
  agentInfo: { name: 'whole', version: '1' },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    sessionCapabilities: {
      list: {},
      resume: {},
      close: {},
      delete: {},
      fork: {},
      additionalDirectories: {},
    },
    auth: { logout: {} },
  },
  authMethods: [
    { id: 'browser', name: 'Sign in with a browser' },
    { id: 'key', name: 'API key', description: 'Takes WHOLE_API_KEY from the environment' },
    { type: 'terminal', id: 'terminal', name: 'In a terminal', args: ['--login'] },
  ],
}
const opened = {
  modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] },
  configOptions: [option],
}

/**
 * Says in each turn what it is told to: `everything`, `wait` until it is cancelled, or `calls`:
 * what was asked of it so far.
 */
const whole = hostile({
  onInitialize: `send({ id, result: ${JSON.stringify(offered)} })`,
  onNew: `calls.push(params)
    if (!signedIn) return send({ id, error: { code: -32000, message: 'Authentication required', data: { authMethods: [1] } } })
    send({ id, result: { sessionId: 's1', ...${JSON.stringify(opened)} } })`,
  onPrompt: `if (text === 'wait') return (act['session/cancel'] = track('session/cancel', () => done({ stopReason: 'cancelled' })))
    if (text === 'calls') { say(JSON.stringify({ methods: [...seen], calls })); return done() }
    for (const [kind, all] of Object.entries(${JSON.stringify(updates)}))
      for (const fields of all) update({ sessionUpdate: kind, ...fields })
    const answers = {}
    for (const [method, params] of Object.entries(${JSON.stringify(requests)})) {
      const { result, error } = await ask(method, { sessionId: 's1', ...params })
      answers[method] = error?.code ?? result
    }
    send({ method: 'elicitation/complete', params: { elicitationId: 'e' } })
    calls.push(answers)
    done()`,
  atStart: `let signedIn = false
    const seen = new Set()
    const calls = []
    const ok = (result = {}) => ({ id }) => send({ id, result })
    const track = (name, run) => (message) => { seen.add(name); return run(message) }
    act.authenticate = ({ id, params }) => { signedIn = params.methodId === 'key'; send({ id, result: {} }) }
    act.logout = ok()
    for (const name of ['session/close', 'session/delete']) act[name] = ({ id, params }) => { calls.push([name, params]); send({ id, result: {} }) }
    act['session/list'] = ok({ sessions: [{ sessionId: 's1', cwd: '/' }] })
    act['session/set_mode'] = ok()
    act['session/set_config_option'] = ({ id, params }) => { calls.push(params); send({ id, result: { configOptions: [] } }) }
    act['session/resume'] = ({ id }) => send({ id, error: { code: -32602, message: 'Invalid params' } })
    act['session/load'] = ({ id, params }) => {
      if (params.sessionId !== 'old') return send({ id, error: { code: -32602, message: 'Invalid params' } })
      for (const kind of ['user_message_chunk', 'agent_message_chunk']) update({ sessionUpdate: kind, content: { type: 'text', text: 'before' } }, 'old')
      send({ id, result: {} })
    }
    act['session/fork'] = ({ id, params }) => { calls.push(params); send({ id, result: { sessionId: 'forked' } }) }
    for (const [name, run] of Object.entries(act)) act[name] = track(name, run)`,
})

test('[AC1] all of the stable protocol: each of our methods is used, each request answered, each update and content known', async () => {
  // What this test knows is what the library knows.
  expect(Object.keys(updates).toSorted()).toEqual(
    kindsOf('SessionUpdate', 'sessionUpdate').toSorted(),
  )
  expect(Object.keys(blocks).toSorted()).toEqual(kindsOf('ContentBlock', 'type').toSorted())
  expect(Object.keys(callContents).toSorted()).toEqual(
    kindsOf('ToolCallContent', 'type').toSorted(),
  )
  expect([...Object.keys(requests), ...notifications].toSorted()).toEqual(
    methodsOf('client').toSorted(),
  )

  const started = {
    agentId: 'whole',
    command: 'whole',
    args: ['acp'],
    variables: new Set(['WHOLE_API_KEY']),
  }
  const agent = new AcpAgent({ command: whole, started, folders: ['/more'] })
  const { opened: first } = await agent.ready()
  expect(first).toMatchObject({
    acpSessionId: 's1',
    how: 'new',
    options: [{ id: 'fast', value: true, values: [] }],
  })
  await agent.context.configure({ modeId: 'plan' })
  await agent.context.configure({ optionId: 'fast', value: false })
  expect(await agent.context.prompt([{ type: 'text', text: 'everything' }])).toMatchObject({
    outcome: 'answered',
  })
  const shown = new Set(agent.updates.map(({ kind }) => kind))
  expect([...shown].toSorted()).toEqual(
    [
      'commands',
      'compaction',
      'media',
      'mode',
      'notice',
      'options',
      'plan',
      'text',
      'thought',
      'title',
      'tool',
      'usage',
    ].toSorted(),
  )
  expect(agent.text).toBe('words\n\n[a link]\n\n[file:///b]')
  expect(Object.keys(updates).filter((kind) => notShown.includes(kind))).toEqual(notShown)
  const tool = agent.updates.findLast((update) => update.kind === 'tool')
  expect(tool).toMatchObject({
    call: { status: 'completed', output: expect.stringContaining('out'), exitCode: 0 },
  })
  expect(agent.questions).toHaveLength(1)
  // Only what was not offered was named, each once.
  await agent.connection.leave('s1', true)
  const known = agent.troubles.map(({ kind, name, count }) => [kind, name, count])
  expect(known).toEqual(refused.map((method) => ['refused_request', method, 1]))

  // Back again: resumed or loaded, with what is replayed told to nobody; gone, forked, cancelled,
  // signed out.
  const replayed = agent.updates.length
  expect(await agent.reopen('old')).toMatchObject({ acpSessionId: 'old', how: 'loaded' })
  expect(agent.updates).toHaveLength(replayed)
  expect(agent.troubles).toHaveLength(refused.length)
  expect(await agent.reopen('gone')).toMatchObject({
    how: 'new',
    notRestored: { notice: { code: 'acpSessionGone' } },
  })
  expect(await agent.reopen('s1', true)).toMatchObject({ acpSessionId: 'forked', how: 'resumed' })
  await agent.reopen('gone')
  const waiting = agent.say('wait')
  agent.context.cancel()
  expect(await waiting).toMatchObject({ outcome: 'cancelled' })
  await agent.connection.logout()
  const before = agent.text.length
  await agent.say('calls')
  const { methods, calls } = JSON.parse(agent.text.slice(before)) as {
    methods: string[]
    calls: unknown[]
  }
  expect(methods.toSorted()).toEqual([...methodsOf('agent'), 'session/fork'].toSorted())
  // Signed in by the key that its environment has, with the further folders; the first attempt was
  // refused.
  const asked = { cwd: agent.folder, mcpServers: [], additionalDirectories: ['/more'] }
  expect(calls.slice(0, 3)).toEqual([
    asked,
    asked,
    { sessionId: 's1', configId: 'fast', type: 'boolean', value: false },
  ])
  const answers = { ...Object.fromEntries(refused.map((method) => [method, -32601])) }
  expect(calls[3]).toEqual({
    ...answers,
    'session/request_permission': { outcome: { outcome: 'selected', optionId: 'yes' } },
    'elicitation/create': { action: 'decline' },
  })
  expect(calls.slice(4, 6)).toEqual([
    ['session/close', { sessionId: 's1' }],
    ['session/delete', { sessionId: 's1' }],
  ])
  expect(calls).toContainEqual({ sessionId: 's1', ...asked })
})
