/**
 * Agents that misbehave, as real processes: each is bounded and reported, and the conversation goes
 * on where it can (AC3, RE9).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { AcpAgent, type AgentCommand } from '../../support/acp-agent.ts'
import { hostile } from '../../support/hostile-agent.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { ownTime } from '../../support/own-time.ts'

async function readyAgent(command: AgentCommand): Promise<AcpAgent> {
  const agent = new AcpAgent({ command })
  await agent.ready()
  return agent
}

const kinds = ({ troubles }: AcpAgent): string[] => troubles.map(({ kind }) => kind)

test('[AC3] noise between the messages is left out and counted, each kind once', async () => {
  const noise = [
    'a log line',
    '{"half": ',
    '42',
    '[]',
    '{"jsonrpc":"1.0","id":1}',
    '{"jsonrpc":"2.0","id":999,"result":{}}',
  ]
  const agent = await readyAgent(
    hostile({
      atStart: "raw('starting up\\r\\n\\r\\n')",
      onPrompt: `for (const line of ${JSON.stringify(noise)}) { raw(line + '\\n'); say('.') }
        send({ method: '_vendor/thing', params: {} })
        update({ sessionUpdate: 'from_the_future' })
        done()`,
    }),
  )
  expect(await agent.say('hello')).toMatchObject({ outcome: 'answered' })
  expect(agent.text).toBe('......')
  expect(kinds(agent)).toEqual([
    'not_json',
    'not_a_message',
    'answer_to_nothing',
    'unknown_notification',
    'unknown_update',
  ])
  expect(agent.troubles[0]).toMatchObject({ count: 1, sample: 'starting up' })
})

test('[AC10] content of a kind that nobody knows is shown by its name and counted by it, in messages and in calls', async () => {
  const agent = await readyAgent(
    hostile({
      onPrompt: `
        update({ sessionUpdate: 'agent_message_chunk', content: { type: 'hologram', name: 'a.holo' } })
        update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Look', content: [{ type: 'content', content: { type: 'smell' } }, { type: 'map' }] })
        done()`,
    }),
  )
  await agent.say('go')
  expect(agent.text).toBe('[a.holo]')
  expect(agent.troubles.map(({ kind, name }) => [kind, name])).toEqual([
    ['unknown_content', 'hologram'],
    ['unknown_content', 'map'],
    ['unknown_content', 'smell'],
  ])
})

test('[AC3] a message may come byte by byte, and several in one write', async () => {
  const agent = await readyAgent(
    hostile({
      onPrompt: `const whole = Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1',
          update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'åß∂ 😀' } } } }) + '\\n')
        for (const byte of whole) { raw(Buffer.from([byte])); await new Promise(setImmediate) }
        done()`,
    }),
  )
  await agent.say('hello')
  expect(agent.text).toBe('åß∂ 😀')
  expect(agent.troubles).toEqual([])
})

test('[AC3] pieces in the same write as the answer belong to the turn, those behind it do not', async () => {
  const agent = await readyAgent(
    hostile({
      onPrompt: `const piece = (text) => JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1',
          update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } }) + '\\n'
        raw(piece('one ') + piece('two') + JSON.stringify({ jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } }) + '\\n' + piece(' late'))`,
    }),
  )
  for (let turn = 1; turn <= 20; turn++) {
    await agent.say('hello')
    expect(agent.text).toBe('one two'.repeat(turn))
  }
  await agent.until(() => agent.troubles.some(({ count }) => count === 10))
  expect(agent.troubles.map(({ kind, count }) => [kind, count])).toEqual([
    ['outside_of_turn', 1],
    ['outside_of_turn', 10],
  ])
})

test('[AC2] files, terminals and unknown requests are answered with an error, and nothing happens', async () => {
  const agent = new AcpAgent({
    command: hostile({
      onPrompt: `const answers = []
        for (const [method, params] of [
          ['fs/write_text_file', { sessionId: 's1', path: process.cwd() + '/x.txt', content: 'x' }],
          ['fs/read_text_file', { sessionId: 's1', path: '/etc/hostname' }],
          ['terminal/create', { sessionId: 's1', command: 'touch', args: ['y.txt'] }],
          ['mcp/message', {}],
          ['_vendor/thing', { deep: true }],
        ]) answers.push((await ask(method, params)).error?.code)
        say(answers.join(' '))
        done()`,
    }),
  })
  await agent.ready()
  await agent.say('hello')
  expect(agent.text).toBe('-32601 -32601 -32601 -32601 -32601')
  expect(existsSync(join(agent.folder, 'x.txt')) || existsSync(join(agent.folder, 'y.txt'))).toBe(
    false,
  )
  const refused = [
    'fs/write_text_file',
    'fs/read_text_file',
    'terminal/create',
    'mcp/message',
    '_vendor/thing',
  ]
  expect(agent.troubles.map(({ kind, name }) => [kind, name])).toEqual(
    refused.map((method) => ['refused_request', method]),
  )
})

test('[AC3] the first word about a tool call may be a change, and its fields come in any order and shape', async () => {
  const agent = await readyAgent(
    hostile({
      onPrompt: `update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'in_progress', content: null })
        update({ sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'Write', kind: 'edit', locations: [{ path: '/a' }, { path: 7 }] })
        update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'nonsense', kind: 'nonsense', content: 'nonsense' })
        update({ sessionUpdate: 'tool_call_update' })
        update({ sessionUpdate: 'tool_call', toolCallId: 't', status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'z'.repeat(40000) } }] })
        update({ sessionUpdate: 'agent_message_chunk' }); update(null); update({ sessionUpdate: 'plan', entries: 'x' })
        done()`,
    }),
  )
  await agent.say('hello')
  const call = agent.updates.findLast((update) => update.kind === 'tool')
  expect(call).toMatchObject({
    call: {
      title: 'Write',
      toolKind: 'edit',
      status: 'completed',
      locations: [{ path: '/a', line: null }],
      cut: true,
    },
  })
  expect(call?.kind === 'tool' && call.call.content).toEqual([
    { type: 'text', text: 'z'.repeat(32 * 1024) },
  ])
})

test('[AC3] what a turn may say has an end: the rest is counted, not kept', async () => {
  const agent = await readyAgent(
    hostile({ onPrompt: "for (let n = 0; n < 80; n++) say('x'.repeat(128 * 1024)); done()" }),
  )
  await agent.say('hello')
  expect(agent.text.length).toBe(8 * 1024 * 1024)
  expect(agent.troubles).toMatchObject([
    { kind: 'turn_too_long' },
    { kind: 'turn_too_long', count: 10 },
  ])
})

test('[AC3] updates about another session are not ours', async () => {
  const agent = await readyAgent(
    hostile({
      onPrompt:
        "update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } }, 's2'); done()",
    }),
  )
  expect((await agent.say('hello')).empty).toBe(true)
  expect(kinds(agent)).toEqual(['another_session'])
})

const failures: readonly [string, Parameters<typeof hostile>[0], object][] = [
  [
    'speaks another version',
    { onInitialize: 'send({ id, result: { protocolVersion: 99 } })' },
    { code: 'version' },
  ],
  ['answers nonsense', { onInitialize: "send({ id, result: 'hello' })" }, { code: 'version' }],
  [
    'answers with an error',
    { onInitialize: "send({ id, error: { code: -32603, message: 'no' } })" },
    { code: 'refused' },
  ],
  ['gives no id', { onNew: 'send({ id, result: {} })' }, { code: 'nonsense' }],
  [
    'wants a sign-in',
    {
      onNew:
        "send({ id, error: { code: -32000, message: 'Authentication required', data: { details: 'run x login' } } })",
    },
    { code: 'sign_in', message: 'session/new: Authentication required (run x login)' },
  ],
  ['leaves at once', { onInitialize: 'process.exit(3)' }, { code: 'ended' }],
]

test.each(failures)(
  '[AG2] an agent that %s fails by name',
  async (_what, misbehaviour, failure) => {
    const agent = new AcpAgent({ command: hostile(misbehaviour) })
    await expect(agent.ready()).rejects.toMatchObject(failure)
  },
)

test('[AC3] an agent that never answers to initialize has its time, and no more', async () => {
  const clock = manualClock()
  const agent = new AcpAgent({ command: hostile({ onInitialize: "raw('busy\\n')" }), clock })
  const ready = agent.ready()
  await agent.until(() => agent.troubles.length > 0)
  clock.advance(60_000)
  await expect(ready).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('initialize within 60 s'),
  })
})

test('[AC3] an agent that ignores a cancel: the turn is over for us, it takes no other until it gives it back', async () => {
  const clock = manualClock()
  const agent = new AcpAgent({ clock })
  await agent.ready()
  await agent.until(() => agent.updates.length > 0)
  clock.advance(50)
  const turn = agent.say('[[ignore-cancel]][[slow 1 300]]')
  await agent.until(() => agent.text.includes('ignoring'))
  agent.context.cancel()
  clock.advance(10_000)
  expect(await turn).toMatchObject({ outcome: 'cancelled', stopReason: null, cancelIgnored: true })
  await expect(agent.say('next')).rejects.toMatchObject({ code: 'busy' })
  await agent.until(() => kinds(agent).includes('late_answer'))
  expect(agent.text).not.toContain('piece 1')
  expect(await agent.say('next')).toMatchObject({ outcome: 'answered' })
})

test('[AC3] a clock that is set back does not keep an agent from being read', async () => {
  let back = 0
  const clock = { ...systemClock, now: () => Date.now() - back }
  const agent = new AcpAgent({
    command: hostile({ onPrompt: "for (let n = 0; n < 5000; n++) say('.'); done()" }),
    clock,
  })
  await agent.ready()
  back = 3600_000
  expect(await agent.say('talk')).toMatchObject({ outcome: 'answered' })
  expect(agent.text.length).toBe(5000)
})

test('[AC3] an error of the model is a failed turn in words, and an empty answer says that it is', async () => {
  const agent = await readyAgent(
    hostile({
      onPrompt: `if (text === 'error') send({ id, error: { code: -32603, message: 'Internal error', data: { details: 'quota exceeded' } } })
        else done({})`,
    }),
  )
  expect(await agent.say('error')).toMatchObject({
    outcome: 'failed',
    error: { text: 'the prompt: Internal error (quota exceeded)' },
  })
  expect(await agent.say('empty')).toMatchObject({
    outcome: 'answered',
    stopReason: null,
    empty: true,
  })
})

test('[AP4] questions are bounded, those that nobody can judge are refused, and all are withdrawn with the turn', async () => {
  // As text: not every Node can write one so deep.
  const deep = "'['.repeat(5000) + ']'.repeat(5000)"
  const agent = new AcpAgent({
    answer: () => new Promise(() => {}),
    command: hostile({
      onPrompt: `const options = [{ optionId: 'n', name: 'No', kind: 'reject_once' }, { optionId: 'y', name: 'Yes', kind: 'allow_once' }]
        const permission = (n, rawInput = {}) => ask('session/request_permission', { sessionId: 's1', options, toolCall: { toolCallId: 'c' + n, rawInput } })
        const odd = await Promise.all([
          new Promise((resolve) => {
            waiting.set('deep', resolve)
            const call = '{"toolCallId":"c0","rawInput":' + ${deep} + '}'
            raw('{"jsonrpc":"2.0","id":"deep","method":"session/request_permission","params":{"sessionId":"s1","options":' + JSON.stringify(options) + ',"toolCall":' + call + '}}\\n')
          }),
          ask('session/request_permission', { sessionId: 's1', options: [], toolCall: { toolCallId: 'c' } }),
          ask('session/request_permission', {}),
        ])
        const answers = Array.from({ length: 40 }, (_, n) => permission(n + 1))
        const early = await Promise.all(answers.slice(32))
        say(odd.map((each) => each.error?.code ?? each.result.outcome.outcome).join(' ') + ' ' + early.map((each) => each.result.outcome.optionId).join(''))
        const rest = await Promise.all(answers)
        done({ stopReason: 'cancelled', _meta: { withdrawn: rest.filter((each) => each.result.outcome.outcome === 'cancelled').length } })`,
    }),
  })
  await agent.ready()
  const turn = agent.say('hello')
  await agent.until(() => agent.text !== '')
  expect(agent.text).toBe('-32602 -32602 cancelled nnnnnnnn')
  expect(agent.questions.length).toBe(32)
  agent.context.cancel()
  expect(await turn).toMatchObject({ outcome: 'cancelled', stopReason: 'cancelled' })
})

test('[AC3] an agent that asks and never reads the answers is not read any further, and is closed all the same', async () => {
  const agent = await readyAgent(
    hostile({
      onPrompt: `process.stdin.pause(); const big = 'x'.repeat(1000)
        let sent = 0
        const pour = () => {
          while (sent < 200000) {
            sent++
            const request = { jsonrpc: '2.0', id: 'r' + sent + big, method: 'x/' + big }
            if (!raw(JSON.stringify(request) + '\\n')) { process.stderr.write('.'); return process.stdout.once('drain', pour) }
          }
        }
        pour()`,
    }),
  )
  const before = process.memoryUsage().rss
  const turn = agent.say('hello')
  await agent.until(() => agent.troubles.some(({ count }) => count === 10))
  // What has arrived lies there: nobody takes it.
  const { stdout } = agent.child
  for (let seen = 0, still = 0; still < 50; ) {
    await new Promise(setImmediate)
    const there = stdout?.readableLength ?? 0
    still = there > 0 && there === seen ? still + 1 : 0
    seen = there
  }
  agent.connection.close()
  await expect(turn).rejects.toMatchObject({ code: 'ended' })
  expect(agent.troubles.every(({ count }) => count < 1000)).toBe(true)
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
})

test('[RE9] an agent that floods is set aside with its reason, and another notices nothing', async () => {
  const other = new AcpAgent()
  await other.ready()
  const flooding = await readyAgent(
    hostile({
      onPrompt:
        "const piece = 'y\\n'.repeat(500000); const pour = () => { while (raw(piece)); process.stdout.once('drain', pour) }; pour()",
    }),
  )
  const flood = flooding.say('go').catch((error: unknown) => error)
  const now = ownTime()
  let slowest = 0
  let over = false
  void flood.then(() => (over = true))
  for (let turn = 0; !over; turn++) {
    const since = now()
    await other.say(`hello ${turn}`)
    slowest = Math.max(slowest, now() - since)
  }
  expect(await flood).toMatchObject({ code: 'flooded' })
  expect(flooding.troubles.length).toBeLessThan(10)
  expect(slowest).toBeLessThan(1000)
})

test('[AC3] [CX6] an agent that ends without a word, fails each prompt after a cancelled question, or writes without asking is told as it is', async () => {
  const agent = new AcpAgent({
    answer: () => new Promise(() => {}),
    command: hostile({
      atStart: 'let broken = false',
      onPrompt: `if (text === 'nothing') return done()
        if (text === 'write') {
          update({ sessionUpdate: 'tool_call', toolCallId: 'w', kind: 'edit', title: 'w.txt', status: 'completed', content: [{ type: 'diff', path: '/w.txt', newText: 'w' }] })
          return done()
        }
        if (broken) return send({ id, error: { code: -32603, message: 'Internal error', data: { details: 'Error: no session\\n    at run (/app/x.js:1:2)' } } })
        const { result } = await ask('session/request_permission', { sessionId: 's1', toolCall: { toolCallId: 'q' }, options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }] })
        broken = result.outcome.outcome === 'cancelled'
        done({ stopReason: 'cancelled' })`,
    }),
  })
  await agent.ready()
  expect(await agent.say('nothing')).toMatchObject({ outcome: 'answered', empty: true })
  expect(await agent.say('write')).toMatchObject({ outcome: 'answered', empty: false })
  expect(agent.updates).toMatchObject([
    { kind: 'tool', call: { title: 'w.txt', status: 'completed', content: [{ type: 'diff' }] } },
  ])
  expect(agent.questions).toEqual([])
  const asking = agent.say('ask')
  await agent.until(() => agent.questions.length === 1)
  agent.context.cancel()
  expect(await asking).toMatchObject({ outcome: 'cancelled' })
  for (let turn = 0; turn < 2; turn++) {
    const { outcome, error } = await agent.say('again')
    expect([outcome, error && typeof error === 'object' && error.text]).toEqual([
      'failed',
      'the prompt: Internal error (Error: no session)',
    ])
  }
  expect(agent.wholeErrors).toEqual([expect.stringContaining('/app/x.js:1:2'), expect.any(String)])
})

test('[AP9] the same call is known again, whichever comes first of the call and the question about it', async () => {
  const agent = new AcpAgent({
    command: hostile({
      onPrompt: `const call = () => update({ sessionUpdate: 'tool_call', toolCallId: text, title: 'ls', kind: 'execute', rawInput: { command: 'ls', cwd: '/work' } })
        const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }, { optionId: 'n', name: 'No', kind: 'reject_once' }]
        const asked = () => ask('session/request_permission', { sessionId: 's1', toolCall: { toolCallId: text, title: 'ls' }, options })
        if (text === 'call first') { call(); await asked() } else { const answer = asked(); call(); await answer }
        done()`,
    }),
  })
  await agent.ready()
  for (const order of ['call first', 'question first']) await agent.say(order)
  const [first, second] = agent.questions
  expect(first?.likeness).toEqual(expect.any(String))
  expect(second?.likeness).toBe(first?.likeness)
})
