import { expect, test } from 'vitest'
import { outcomeOf, permissionRequestOf } from '../../../src/coordinator/acp/permissions.ts'
import { ToolCalls } from '../../../src/coordinator/acp/tool-calls.ts'

const options = [
  { optionId: 'p1', name: 'Always', kind: 'allow_always' },
  { optionId: 'p2', name: 'Once', kind: 'allow_once' },
  { optionId: 'cancel', name: 'No', kind: 'reject_once' },
] as const
const request = (toolCall: object) => ({
  sessionId: 's',
  options,
  toolCall: { toolCallId: 'c', ...toolCall },
})

test('[AP4] the digest is of the exact request: any change of it is another one, the order of its fields is not', () => {
  const digest = (toolCall: object) =>
    permissionRequestOf(request(toolCall), new ToolCalls())?.digest
  const one = digest({ title: 'Run', rawInput: { command: 'ls', cwd: '/' } })
  expect(digest({ rawInput: { cwd: '/', command: 'ls' }, title: 'Run' })).toBe(one)
  for (const other of [
    { title: 'Run', rawInput: { command: 'ls ', cwd: '/' } },
    { title: 'Run', rawInput: { command: 'ls', cwd: '/', more: null } },
    { title: 'Run', rawInput: { command: 'ls', cwd: '/' }, _meta: { x: 1 } },
    { title: 'run', rawInput: { command: 'ls', cwd: '/' } },
  ])
    expect(digest(other)).not.toBe(one)
})

test('[AP4] a question is shown with what was known of the call before', () => {
  const calls = new ToolCalls()
  calls.apply({ toolCallId: 'c', title: 'Run ls', kind: 'execute', rawInput: { command: 'ls' } })
  expect(permissionRequestOf(request({}), calls)?.call).toMatchObject({
    title: 'Run ls',
    toolKind: 'execute',
    input: '{"command":"ls"}',
  })
})

const textOf = (text: string) => [{ type: 'content', content: { type: 'text', text } }]

test('[AP6] a question adds to what is known of its call and replaces none of it; the call itself stays as it was told', () => {
  const calls = new ToolCalls()
  const whole = '{"command":"cd /long/folder && rm README.md"}'
  calls.apply({
    toolCallId: 'c',
    title: 'cd /long/folder && rm README.md',
    kind: 'execute',
    content: textOf(whole),
  })
  const asked = () =>
    permissionRequestOf(
      request({ title: 'Bash', content: textOf('Running: cd /long/folder…') }),
      calls,
    )
  const shown = {
    title: 'cd /long/folder && rm README.md · Bash',
    toolKind: 'execute',
    content: [
      { type: 'text', text: whole },
      { type: 'text', text: 'Running: cd /long/folder…' },
    ],
  }
  expect(asked()).toMatchObject({ call: shown, likeness: null })
  expect(asked()?.call).toMatchObject(shown)
  expect(calls.apply({ toolCallId: 'c', status: 'completed' })?.content).toEqual([
    { type: 'text', text: whole },
  ])
  const diff = { type: 'diff', path: '/w/a', oldText: 'a', newText: 'b' }
  const edit = {
    toolCallId: 'e',
    kind: 'edit',
    rawInput: {},
    content: [diff],
    locations: [{ path: '/w/a' }],
  }
  calls.apply(edit)
  const again = permissionRequestOf(
    request({ ...edit, rawInput: { path: '/w/a' }, title: 'Edit a' }),
    calls,
  )
  expect(again?.call).toMatchObject({
    title: 'Edit a',
    input: '{"path":"/w/a"}',
    content: [diff],
    cut: false,
  })
  expect(again?.call.locations).toHaveLength(1)
})

test('[AP6] a question that contradicts its call is shown with both, is of no kind of tool, and cannot be known again', () => {
  const calls = new ToolCalls()
  const command = (text: string, more: object = {}) => ({
    kind: 'execute',
    rawInput: { command: text, ...more },
  })
  calls.apply({ toolCallId: 'c', title: 'Run', ...command('rm README.md', { description: 'x' }) })
  const other = permissionRequestOf(request(command('ls')), calls)
  expect(other).toMatchObject({
    likeness: null,
    call: { input: '{"command":"rm README.md","description":"x"}' },
  })
  expect(other?.call.content).toEqual([{ type: 'text', text: '{"command":"ls"}' }])
  expect(permissionRequestOf(request({ kind: 'read' }), calls)).toMatchObject({
    likeness: null,
    call: { toolKind: 'other' },
  })
  const same = permissionRequestOf(
    request(command('rm README.md', { description: 'in other words' })),
    calls,
  )
  expect(same?.likeness).toBe(
    permissionRequestOf(request(command('rm README.md')), new ToolCalls())?.likeness,
  )
})

test('[AP4] options are chosen by kind, a yes is for once; without one for it nothing happens', () => {
  expect(outcomeOf({ choose: 'allow' }, [...options])).toEqual({
    outcome: 'selected',
    optionId: 'p2',
  })
  expect(outcomeOf({ choose: 'deny' }, [...options])).toEqual({
    outcome: 'selected',
    optionId: 'cancel',
  })
  expect(outcomeOf({ optionId: 'p1' }, [...options])).toEqual({
    outcome: 'selected',
    optionId: 'p1',
  })
  expect(outcomeOf({ optionId: 'other' }, [...options])).toEqual({
    outcome: 'selected',
    optionId: 'cancel',
  })
  expect(outcomeOf({ choose: 'cancelled' }, [...options])).toEqual({ outcome: 'cancelled' })
  for (const choose of ['allow', 'deny'] as const)
    expect(outcomeOf({ choose }, [options[0]])).toEqual({ outcome: 'cancelled' })
})

test('[AP4] the same call asked again is known again, whatever it is called; another command is another one, by any trick', () => {
  const likeness = (toolCall: object) =>
    permissionRequestOf(request({ kind: 'execute', ...toolCall }), new ToolCalls())?.likeness
  const command = (text: unknown, more: object = {}) =>
    likeness({ title: 'Run', rawInput: { command: text, cwd: '/', ...more } })
  const one = command('npm test')
  expect(one).toMatch(/^[0-9a-f]{64}$/)
  expect(
    likeness({
      toolCallId: 'another',
      title: 'Tests',
      rawInput: { cwd: '/', command: 'npm test', description: 'x' },
    }),
  ).toBe(one)
  const tricks = [
    'npm test && rm -rf ~',
    'npm test;ls',
    'npm test\nls',
    'npm test ',
    'npm  test',
    'npm test $(ls)',
    'npm tes',
    ' npm test',
  ]
  for (const trick of tricks) expect(command(trick)).not.toBe(one)
  expect(command(['npm', 'test'])).not.toBe(command(['npm test']))
  expect(command('npm test', { cwd: '/tmp' })).not.toBe(one)
  expect(command('npm test', { env: { PATH: '/evil' } })).not.toBe(one)
  expect(command('npm test', { description: { run: 'x' } })).not.toBe(one)
  expect(
    permissionRequestOf(
      request({ kind: 'edit', rawInput: { command: 'npm test', cwd: '/' } }),
      new ToolCalls(),
    )?.likeness,
  ).not.toBe(one)
})

test('[AP4] what was told of the call before counts, to its end; without a word of what would be done nothing is known again', () => {
  const calls = new ToolCalls()
  const long = 'x'.repeat(100_000)
  const asked = (rawInput: unknown, more: object = {}) => {
    calls.apply({ toolCallId: 'c', title: 'Write', kind: 'edit', rawInput })
    return permissionRequestOf(request(more), calls)?.likeness
  }
  const one = asked({ path: 'a', text: `${long}1` })
  expect(asked({ path: 'a', text: `${long}1` })).toBe(one)
  expect(asked({ path: 'a', text: `${long}2` })).not.toBe(one)
  for (const nothing of [{}, [], '', null, undefined]) {
    const cut = {
      kind: 'execute',
      title: 'Bash',
      rawInput: nothing,
      content: textOf('Running: cd /long/folder…'),
    }
    expect(permissionRequestOf(request(cut), new ToolCalls())?.likeness).toBeNull()
  }
})

/** As agents send it whose input is their record of the request: no two are alike. */
const recordOf = (n: number, more: object = {}) => ({
  toolCallId: `call_${n}`,
  kind: 'execute',
  rawInput: {
    call_id: `call_${n}`,
    turn_id: `01a1e6b7-0593-76c1-be4e-98fae9929${n}`,
    started_at_ms: 1_790_000_000_000 + n,
    command: ['bash', '-lc', 'npm test'],
    cwd: '/work',
    parsed_cmd: [{ type: 'unknown', cmd: 'npm test' }],
    ...more,
  },
})

test('[AP9] a command with the ids and times of its request is known again; with another command, folder or argument it is not', () => {
  const likeness = (toolCall: object) =>
    permissionRequestOf(request(toolCall), new ToolCalls())?.likeness
  const one = likeness(recordOf(100))
  expect(one).toMatch(/^[0-9a-f]{64}$/)
  expect(likeness(recordOf(200))).toBe(one)
  expect(likeness(recordOf(300, { timestamp: '2026-11-17T03:00:00.000Z', requestId: 7 }))).toBe(one)
  const others = [
    { command: ['bash', '-lc', 'npm test; rm -rf /'] },
    { command: 'npm test' },
    { cwd: '/' },
    { parsed_cmd: [] },
    { process_id: '7' },
    { session_id: '7' },
    { timeout_ms: 7 },
    { env: { call_id: 'x' } },
    // What only has the name of an id or a time is compared.
    { turn_id: 'x; rm -rf /' },
    { turn_id: { run: 'x' } },
    { started_at_ms: 'now; rm -rf /' },
    { timestamp: ['x'] },
  ]
  expect(others.filter((more) => likeness(recordOf(200, more)) === one)).toEqual([])
  const calls = new ToolCalls()
  calls.apply(recordOf(400))
  expect(
    permissionRequestOf(request({ ...recordOf(400, { started_at_ms: 5, reason: 'x' }) }), calls)
      ?.likeness,
  ).toBe(one)
  const contradicted = request({ ...recordOf(400, { command: ['bash', '-lc', 'ls'] }) })
  expect(permissionRequestOf(contradicted, calls)?.likeness).toBeNull()
})

test('[AP9] ids and times of the request are known however deep they stand; arguments beside them, and variables, are compared', () => {
  const likeness = (n: number, more: object = {}, args: object = {}, env: object = {}) => {
    const about = {
      callId: `call_${n}`,
      startedAt: 1_790_000_000_000 + n,
      requestId: `r${n}`,
      ...more,
    }
    const rawInput = {
      steps: [{ meta: about, args: { path: 'a', message_id: '1', ...args } }],
      env,
    }
    const call = { toolCallId: `call_${n}`, kind: 'other', title: 'Post', rawInput }
    return permissionRequestOf(request(call), new ToolCalls())?.likeness
  }
  const one = likeness(1)
  expect(one).toMatch(/^[0-9a-f]{64}$/)
  expect(likeness(2)).toBe(one)
  expect(likeness(2, { target: 'b' })).not.toBe(one)
  expect(likeness(2, {}, { message_id: '2' })).not.toBe(one)
  expect(likeness(2, {}, {}, { CALL_ID: 'call_2' })).not.toBe(one)
  expect(likeness(2, { startedAt: 'now; rm -rf /' })).not.toBe(one)
})

test('[AP9] ids in the input of a tool are arguments, unless the input repeats the id of its own call', () => {
  const likeness = (toolCallId: string, rawInput: object) =>
    permissionRequestOf(
      request({ toolCallId, kind: 'other', title: 'Answer', rawInput }),
      new ToolCalls(),
    )?.likeness
  const message = (id: string) => ({ message_id: id, text: 'yes' })
  expect(likeness('a', message('1'))).toBe(likeness('b', message('1')))
  expect(likeness('a', message('1'))).not.toBe(likeness('b', message('2')))
  const recorded = (id: string, text: string) =>
    likeness(id, { callId: id, turnId: `of ${id}`.replace(' ', '-'), text })
  expect(recorded('a', 'yes')).toBe(recorded('b', 'yes'))
  expect(recorded('a', 'yes')).not.toBe(recorded('b', 'no'))
  expect(likeness('a', { callId: 'a' })).toBeNull()
})

test('[AP9] the folder told with the call and the command told with the request are one input; what contradicts is none', () => {
  const asked = (before: object, rawInput: object) => {
    const calls = new ToolCalls()
    calls.apply({ toolCallId: 'c', title: 'bash', kind: 'execute', rawInput: before })
    return permissionRequestOf(request({ title: 'npm test', kind: 'execute', rawInput }), calls)
  }
  const one = asked({ cwd: '/work' }, { command: 'npm test' })
  expect(one?.likeness).toMatch(/^[0-9a-f]{64}$/)
  expect(one?.call.input).toBe('{"cwd":"/work","command":"npm test"}')
  expect(
    asked({ cwd: '/work', command: 'npm test' }, { command: 'npm test', description: 'x' })
      ?.likeness,
  ).toBe(one?.likeness)
  // The agent may tell the rest before the request is read.
  expect(asked({ cwd: '/work', command: 'npm test' }, { command: 'npm test' })?.likeness).toBe(
    one?.likeness,
  )
  expect(asked({ cwd: '/' }, { command: 'npm test' })?.likeness).not.toBe(one?.likeness)
  expect(asked({ cwd: '/work' }, { command: 'npm test; ls' })?.likeness).not.toBe(one?.likeness)
  expect(
    asked({ cwd: '/work', command: 'ls' }, { command: 'npm test', env: {} })?.likeness,
  ).toBeNull()
})
