/**
 * What a tool call ran and what came of it, read from the exchanges recorded with real agents: each
 * field that one of them uses.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ToolCalls } from '../../../src/coordinator/acp/tool-calls.ts'
import { Compactions, readUpdate } from '../../../src/coordinator/acp/updates.ts'
import { maxShownOutput, type ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import { AcpAgent } from '../../support/acp-agent.ts'
import { hostile } from '../../support/hostile-agent.ts'

const folder = join(import.meta.dirname, 'exchanges')

interface Message {
  readonly method?: string
  readonly params?: {
    readonly update?: Readonly<Record<string, unknown>>
    readonly toolCall?: Readonly<Record<string, unknown>>
  }
  readonly result?: { readonly agentInfo?: { readonly name: string } }
}

/**
 * The calls of an exchange in their last state, with the whole of their outputs and all that was
 * sent about each.
 */
function play(agent: string) {
  const lines = readFileSync(join(folder, `${agent}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  const messages = lines.flatMap((line): Message[] => JSON.parse(line).from ?? [])
  const name = messages.find(({ result }) => result?.agentInfo)?.result?.agentInfo?.name
  let now = 0
  const calls = new ToolCalls({
    ...(name !== undefined && { agent: name }),
    now: () => (now += 10),
  })
  const last = new Map<string, ToolCall>()
  const whole = new Map<string, string>()
  const sent = new Map<string, string>()
  for (const { method, params } of messages) {
    if (method === 'session/request_permission' && params?.toolCall)
      calls.forPermission(params.toolCall)
    const read =
      method === 'session/update' ? readUpdate(params, calls, new Compactions()) : undefined
    if (read?.update.kind !== 'tool') continue
    const { call } = read.update
    last.set(call.toolCallId, call)
    sent.set(call.toolCallId, `${sent.get(call.toolCallId) ?? ''}\n${textsIn(params?.update)}`)
    for (const piece of calls.wholeOutputs(call.toolCallId))
      if (piece.kind === 'output')
        whole.set(
          call.toolCallId,
          (piece.part === 0 ? '' : (whole.get(call.toolCallId) ?? '')) + piece.text,
        )
  }
  return [...last.values()].map((call) => ({
    call,
    whole: whole.get(call.toolCallId) ?? call.output ?? '',
    sent: sent.get(call.toolCallId) ?? '',
  }))
}

/** All texts in a message. */
function textsIn(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null
    ? Object.values(value).map(textsIn).join('\n')
    : ''
}

test.each(readdirSync(folder).map((file) => file.replace('.jsonl', '')))(
  '[AC6] %s: no character of output that it sent is lost, and of a long one the beginning and the end are shown',
  (agent) => {
    const calls = play(agent)
    expect(calls.length).toBeGreaterThan(0)
    const linesOf = (text: string) => new Set(text.match(/line \d+ of the output/g))
    for (const { call, whole, sent } of calls) {
      expect([...linesOf(sent).difference(linesOf(whole))]).toEqual([])
      expect(call.output?.length ?? 0).toBeLessThanOrEqual(maxShownOutput)
      if (call.outputLength === undefined || call.outputLength <= maxShownOutput) continue
      expect(whole).toHaveLength(call.outputLength)
      expect(call.output?.slice(0, 100)).toBe(whole.slice(0, 100))
      expect(call.output?.slice(-100)).toBe(whole.slice(-100))
    }
  },
)

const command = 'echo before; exit 3'

test.each([
  ['claude', { output: 'Exit code 3\nbefore', exitCode: 3 }],
  ['codex', { output: 'before\n', exitCode: 3, cwd: '/scratch/work' }],
  [
    'copilot',
    {
      output: 'before\n<shellId: 1 completed with exit code 3>',
      exitCode: 3,
      cwd: '/scratch/work',
    },
  ],
  ['opencode', { output: 'before\n', exitCode: 3, cwd: '/scratch/work' }],
  ['pi', { output: 'before\n\n\nCommand exited with code 3', exitCode: 3, cwd: '/scratch/work' }],
  // The messages of this agent have neither output nor exit status.
  ['gemini', { content: [] }],
])(
  '[AC6] %s: what was run, where, its output, its exit status and how long it took',
  (agent, expected) => {
    const run = play(agent).find(({ call }) => (call.command ?? call.title) === command)
    expect(run?.call).toMatchObject({ ...expected, durationMs: expect.any(Number) })
  },
)

test.each([
  ['claude', 'onetwothree\nerr'],
  ['opencode', 'onetwothree\nerr\n'],
  ['pi', 'onetwothree\nerr\n'],
  // This agent does not send what is written in the first moments.
  ['codex', 'twothree\nerr\n'],
  // Standard error moves to the front while it runs.
  ['copilot', 'err\nonetwothree\n<shellId: 0 completed with exit code 0>'],
])(
  '[AC6] %s: output that comes piece by piece, or anew each time, is joined',
  (agent, expected) => {
    expect(play(agent)[0]?.call.output).toBe(expected)
  },
)

test.each(['claude', 'codex', 'copilot', 'gemini', 'opencode'])(
  '[AC6] %s: the result of an MCP tool',
  (agent) => {
    expect(play(agent).find(({ call }) => call.title.includes('lab_echo'))?.call.output).toBe(
      'reversed: desserts',
    )
  },
)

const result = (update: object): ToolCall | undefined => {
  const calls = new ToolCalls()
  calls.apply({
    sessionUpdate: 'tool_call',
    toolCallId: 'c',
    kind: 'execute',
    status: 'in_progress',
  })
  return calls.apply({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c',
    status: 'completed',
    ...update,
  })
}

test('[AC6] an agent never seen: stdout and stderr, a plain text, or a result in a form of its own', () => {
  expect(result({ rawOutput: { stdout: 'out', exit_code: 7 } })).toMatchObject({
    output: 'out',
    exitCode: 7,
  })
  expect(result({ rawOutput: 'plain' })).toMatchObject({ output: 'plain' })
  expect(result({ rawOutput: { answer: [1, 2] } })).toMatchObject({ output: '{"answer":[1,2]}' })
  expect(result({ rawOutput: { stdout: 1, exit_code: 'x' }, _meta: 5 })?.exitCode).toBeUndefined()
  expect(result({})?.output).toBeUndefined()
})

test('[AC6] what describes a call before it runs is no output', () => {
  const calls = new ToolCalls()
  const text = (words: string) => [{ type: 'content', content: { type: 'text', text: words } }]
  calls.forPermission({
    toolCallId: 'c',
    kind: 'execute',
    status: 'pending',
    content: text('[current folder /]'),
  })
  const update = { sessionUpdate: 'tool_call_update', toolCallId: 'c' }
  expect(
    calls.apply({ ...update, rawInput: { command: 'ls' }, content: text('Lists files') })?.output,
  ).toBeUndefined()
  const begun = {
    sessionUpdate: 'tool_call',
    toolCallId: 'd',
    status: 'in_progress',
    content: text('[current folder /]'),
  }
  expect(calls.apply(begun)?.output).toBeUndefined()
  expect(calls.apply({ ...update, status: 'completed', content: text('a b') })?.output).toBe('a b')
})

test('[AC6] the output held for a turn has a limit: beginning and end stay, and how much there was is known', () => {
  const calls = new ToolCalls()
  const piece = (id: string, data: string) =>
    calls.apply({
      sessionUpdate: 'tool_call_update',
      toolCallId: id,
      _meta: { terminal_output_delta: { data } },
    })
  const wholeOf = (id: string) => {
    calls.apply({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' })
    return [...calls.wholeOutputs(id)]
      .map((each) => (each.kind === 'output' ? each.text : ''))
      .join('')
  }
  const line = `${'x'.repeat(99)}\n`
  const pieces = 5000
  for (let n = 0; n < pieces; n++)
    piece('one', n === 0 ? 'first\n' : n === pieces - 1 ? 'last' : line.repeat(10))
  const long = wholeOf('one')
  expect(long.length).toBeLessThanOrEqual(1024 * 1024 + 100)
  expect(long.startsWith('first\n')).toBe(true)
  expect(long.endsWith('last')).toBe(true)
  expect(piece('one', '')?.outputLength).toBe(10 + (pieces - 2) * 1000)
  for (let n = 0; n < 30; n++) piece(`other ${n}`, line.repeat(10_000))
  // The last ones come when all that may be held is held.
  expect(wholeOf('other 29').length).toBeLessThan(maxShownOutput * 2)
})

test('[AC14] what an agent sends of a call replaces what it sent before; arguments that it puts first are no output', async () => {
  const agent = new AcpAgent({
    command: hostile({
      onPrompt: `
        const call = (toolCallId, fields) => update({ sessionUpdate: 'tool_call_update', toolCallId, ...fields })
        const begin = (toolCallId, fields) => update({ sessionUpdate: 'tool_call', toolCallId, kind: 'execute', title: toolCallId, ...fields })
        const content = (...texts) => ({ content: texts.map((text) => ({ type: 'content', content: { type: 'text', text } })) })
        const running = { status: 'in_progress' }, over = { status: 'completed' }
        begin('anew', running)
        call('anew', { ...running, ...content('fetching 50%') })
        call('anew', { ...running, ...content('fetching 100%') })
        call('anew', { ...over, ...content('fetched') })
        begin('arguments', { status: 'pending' })
        call('arguments', { ...running, ...content('{"command": "ls -1"}') })
        call('arguments', { ...over, ...content('a b') })
        begin('both', { rawInput: { command: 'ls -1' } })
        call('both', { ...running, ...content('{"command": "ls -1"}') })
        call('both', { ...over, ...content('$ ls -1', 'a b'), rawOutput: 'a b' })
        begin('later', running)
        call('later', { ...running, ...content('{"command": "ls -1"}') })
        call('later', { ...over, rawOutput: 'a b' })
        begin('pieces', running)
        call('pieces', { ...running, _meta: { terminal_output_delta: { data: 'a\\r\\n' } } })
        call('pieces', { ...running, _meta: { terminal_output_delta: { data: 'b\\r\\n' } } })
        call('pieces', { ...over, ...content('a\\nb') })
        begin('status', running)
        call('status', { ...running, ...content('a b') })
        call('status', { ...over, rawOutput: { exit_code: 0 } })
        done()`,
    }),
  })
  await agent.ready()
  await agent.say('go')
  const calls = new Map(
    agent.updates.flatMap((each) =>
      each.kind === 'tool' ? [[each.call.toolCallId, each.call]] : [],
    ),
  )
  expect(
    Object.fromEntries(
      [...calls.values()].map(({ toolCallId, output }) => [toolCallId, output?.trim()]),
    ),
  ).toEqual({
    anew: 'fetched',
    arguments: 'a b',
    both: 'a b',
    later: 'a b',
    pieces: 'a\nb',
    status: 'a b',
  })
})
