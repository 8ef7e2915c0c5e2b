/**
 * Agents that misbehave in every way, side by side in consoles of the whole product (AC3, AG2,
 * RE9): each is contained and has its error, the coordinator's memory stays bounded, and the one
 * that behaves notices nothing.
 */
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { coordinatorOf } from '../support/coordinator-process.ts'
import { hostile } from '../support/hostile-agent.ts'
import {
  addAgent,
  clientOf,
  type House,
  openHouse,
  openPerson,
  type Person,
} from '../support/person.ts'

const megabyte = 1024 * 1024

/**
 * As observed: the whole command is told with the tool call, in its text or as its input, one event
 * before a question that has only a cut text of it; "for this session" is for every command.
 */
const asksVaguely = `const command = text.slice(text.indexOf(' ') + 1)
    const cut = [{ type: 'content', content: { type: 'text', text: 'Running: cd /long/folder…' } }]
    const call = { toolCallId: 'call ' + id, title: 'Bash', kind: 'execute' }
    const whole = text.startsWith('input ')
      ? { rawInput: { command } }
      : { content: [{ type: 'content', content: { type: 'text', text: JSON.stringify({ command }) } }] }
    update({ sessionUpdate: 'tool_call', ...call, ...whole })
    const options = [
      { optionId: 'session', name: 'Approve for this session', kind: 'allow_always' },
      { optionId: 'once', name: 'Approve once', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ]
    let { outcome } = globalThis.approved ? { outcome: { optionId: 'session' } }
      : (await ask('session/request_permission', { sessionId: 's1', options, toolCall: { toolCallId: call.toolCallId, title: 'Bash', content: cut } })).result
    if (outcome.optionId === 'session') globalThis.approved = true
    say(['once', 'session'].includes(outcome.optionId) ? 'ran ' + command : 'did not run'); done()`

let house: House

beforeAll(async () => {
  house = await openHouse()
  // One line, as it comes out of a pipe: nothing is thrown away by its sender, and there is no
  // message in it.
  const line = `const piece = 'x'.repeat(${megabyte})
    for (let sent = 0; sent < 100; sent++) if (!raw(piece)) await new Promise((drained) => process.stdout.once('drain', drained))
    raw('\\n'); say('that was long'); done()`
  await addAgent(house, 'long', hostile({ onPrompt: line }))
  const noise = [
    'no json at all',
    '{"half": ',
    '[1, 2',
    '{"jsonrpc":"2.0","id":7,"result":',
    '\\u0000\\u0001',
  ]
  await addAgent(
    house,
    'garbled',
    hostile({
      onPrompt: `for (const text of ${JSON.stringify(noise)}) raw(text + '\\n'); say('heard'); done()`,
    }),
  )
  await addAgent(house, 'vague', hostile({ onPrompt: asksVaguely }))
  await addAgent(house, 'deaf', hostile({ onPrompt: "say('on it')" }))
  return house.end
})

/**
 * What its process wrote, and what was found wrong with it, as a person reads it who looks for the
 * reason.
 */
const wordsOf = async (person: Person, role: string): Promise<string> =>
  outputOf(await launchOf(person, role))

const launchOf = async (person: Person, role: string): Promise<string> =>
  (await person.agents()).find((each) => each.role === role).launchId

async function outputOf(launchId: string): Promise<string> {
  return (await clientOf(house).get('/api/processes/{launchId}', { params: { launchId } })).output
}

/** The most that a process has ever held, in megabytes. */
async function peakMemoryOf(pid: number): Promise<number> {
  const [, kilobytes] =
    /^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

async function writesHundredMegabytes(person: Person): Promise<void> {
  await person.spawn('long', { agentId: 'long' })
  const { pid } = await coordinatorOf(house.holdfast.data)
  const before = await peakMemoryOf(pid)
  expect(await person.say('long', 'go')).toMatchObject({
    content: 'that was long',
    stopReason: 'end_turn',
  })
  // What lies in pipes and waits to be collected, and the beginning of the line; the whole of it
  // would be far more than itself.
  expect((await peakMemoryOf(pid)) - before).toBeLessThan(90)
  expect(await wordsOf(person, 'long')).toContain(
    `lines that are too long were left out (1, ${100 * megabyte} bytes)`,
  )
}

async function writesNoJson(person: Person): Promise<void> {
  await person.spawn('garbled', { agentId: 'garbled' })
  for (let turn = 0; turn < 2; turn++)
    expect(await person.say('garbled', 'go')).toMatchObject({
      content: 'heard',
      stopReason: 'end_turn',
    })
  expect(await wordsOf(person, 'garbled')).toContain(
    'lines that are no messages were left out (1, 14 bytes): no json at all',
  )
}

/**
 * AG7: the turn is over for the person after 10 s; another process in its role is told what waits,
 * and is ended as any other.
 */
async function ignoresCancel(person: Person): Promise<void> {
  await person.spawn('deaf', { agentId: 'deaf' })
  for (const content of ['go', 'and now?']) person.send('agent:message', { role: 'deaf', content })
  await person.speaks('deaf')
  const first = await launchOf(person, 'deaf')
  person.send('agent:cancel', { role: 'deaf' })
  expect(await person.next('agent:response', 'deaf')).toMatchObject({
    content: 'on it',
    stopReason: 'cancelled',
  })
  expect(await outputOf(first)).toContain('cancelled turns were not given back in time (1)')
  await person.next('agent:ready', 'deaf')
  await person.speaks('deaf')
  person.send('agent:terminate', { role: 'deaf' })
  await person.next('agent:terminated', 'deaf')
}

/** In a project that gives a start less time than usual. */
async function neverAnswersInitialize(): Promise<void> {
  const settings = { 'agent.start_timeout_seconds': 5 }
  const { id } = await clientOf(house).post('/api/projects', {
    body: { name: 'impatient', settings },
  })
  await addAgent(
    house,
    'mute',
    hostile({ onInitialize: "process.stderr.write('thinking about it\\n')" }),
    id,
  )
  const person = await openPerson(house, id)
  await expect(person.spawn('mute')).rejects.toThrow('initialize: It was not ready within 5 s.')
  expect(await person.roster()).toEqual(['mute FAILED'])
  expect(await wordsOf(person, 'mute')).toContain('thinking about it')
  await expect.poll(() => person.processes()).toEqual([])
}

test('[AC3] a line of 100 MB, no JSON, a cancel that is ignored, an initialize that is never answered: each has its error, another notices nothing', async () => {
  const person = await openPerson(house)
  await person.spawn('steady')
  // Five turns while all of them begin, and one after each: turn after turn until the slowest is
  // over would only take processor time.
  let turnsDone = Promise.resolve()
  const sayMore = (times: number): void => {
    turnsDone = turnsDone.then(async () => {
      for (let turn = 0; turn < times; turn++)
        expect(await person.say('steady', `hello ${turn}`)).toMatchObject({
          content: `echo: hello ${turn}`,
          stopReason: 'end_turn',
        })
    })
  }
  sayMore(5)
  const misbehaviours = [
    writesHundredMegabytes,
    writesNoJson,
    ignoresCancel,
    neverAnswersInitialize,
  ]
  await Promise.all(misbehaviours.map((each) => each(person).then(() => sayMore(1))))
  await turnsDone
  expect((await person.roster()).toSorted()).toEqual([
    'garbled ACTIVE',
    'long ACTIVE',
    'steady ACTIVE',
  ])
})

test('[AP6] a question with a cut text shows the whole command that came before it, and no “always” for one command runs another', async () => {
  const person = await openPerson(house)
  await person.spawn('vague', { agentId: 'vague' })
  const [harmless, harmful] = ['cd /long/folder && ls', 'cd /long/folder && rm README.md']
  const asked = async (prompt: string) => {
    person.send('agent:message', { role: 'vague', content: prompt })
    const question = await person.next('permission:requested', 'vague')
    // The person reads the whole command, wherever the agent has said it.
    expect(JSON.stringify(question.call)).toContain(prompt.slice(prompt.indexOf(' ') + 1))
    return question
  }
  const answer = (approvalId: number, more: object) =>
    person.send('permission:answer', { approvalId, ...more })

  const cut = await asked(`text ${harmless}`)
  for (const more of [{ optionId: 'session' }, { optionId: 'once', always: {} }]) {
    answer(cut.approvalId, more)
    expect(await person.next(['error', 'permission:resolved'])).toMatchObject({
      type: 'error',
      code: 'wrong_state',
    })
  }
  answer(cut.approvalId, { outcome: 'allowed' })
  expect(await person.next('agent:response', 'vague')).toMatchObject({ content: `ran ${harmless}` })
  answer((await asked(`text ${harmful}`)).approvalId, { outcome: 'denied' })
  expect(await person.next('agent:response', 'vague')).toMatchObject({ content: 'did not run' })

  answer((await asked(`input ${harmless}`)).approvalId, { optionId: 'session' })
  expect(await person.next('agent:response', 'vague')).toMatchObject({ content: `ran ${harmless}` })
  const { items } = await clientOf(house).get('/api/projects/{projectId}/allowances', {
    params: { projectId: house.projectId },
  })
  expect(items).toMatchObject([{ agentId: 'vague', scope: 'request', title: harmless }])
  answer((await asked(`input ${harmful}`)).approvalId, { outcome: 'denied' })
  expect(await person.next('agent:response', 'vague')).toMatchObject({ content: 'did not run' })
  expect(await person.say('vague', `input ${harmless}`)).toMatchObject({
    content: `ran ${harmless}`,
  })
  expect(await person.next('permission:requested', 'vague')).toMatchObject({
    call: { input: JSON.stringify({ command: harmless }) },
  })
  answer((await asked(`text ${harmful}`)).approvalId, { outcome: 'denied' })
  expect(await person.next('agent:response', 'vague')).toMatchObject({ content: 'did not run' })
})

/**
 * One that nobody has seen: it asks for files that are not offered, writes without asking, says
 * nothing, asks, and breaks after a cancel.
 */
const strange = `const tell = (fields) => update(fields, params.sessionId)
    const words = (content) => tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: content } })
    if (globalThis.broken) return send({ id, error: { code: -32603, message: 'Internal error', data: { details: 'Error: lost it\\n    at run (/app/x.js:1:2)' } } })
    const heard = params.prompt.at(-1).text
    if (heard.includes('nothing')) return done()
    if (heard.includes('files')) {
      const { error } = await ask('fs/write_text_file', { sessionId: params.sessionId, path: '/tmp/x', content: 'x' })
      words('refused with ' + error.code)
      return done()
    }
    if (heard.includes('write')) {
      const call = { toolCallId: 'w', kind: 'execute', title: 'Write w.txt' }
      tell({ sessionUpdate: 'session_info_update', title: 'A strange talk' })
      tell({ sessionUpdate: 'tool_call', ...call, status: 'in_progress', rawInput: { command: 'cat w.txt' } })
      tell({ sessionUpdate: 'tool_call_update', toolCallId: 'w', status: 'completed', rawOutput: { stdout: 'written', exit_code: 3 } })
      words('written')
      return done({ stopReason: 'end_turn', usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17 } })
    }
    if (heard.includes('question')) {
      const schema = { type: 'object', properties: { colour: { type: 'string', enum: ['red', 'blue'] } }, required: ['colour'] }
      const { result } = await ask('elicitation/create', { sessionId: params.sessionId, mode: 'form', message: 'Which?', requestedSchema: schema })
      words(JSON.stringify(result))
      return done()
    }
    await ask('session/request_permission', { sessionId: params.sessionId, toolCall: { toolCallId: 'p' + id, title: 'Run' }, options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }, { optionId: 'n', name: 'No', kind: 'reject_once' }] })
    globalThis.broken = true
    done({ stopReason: 'cancelled' })`

test('[AC3] [CX6] an agent nobody has seen, in a console and in a chat: each of its oddities has a clear result for the person', async () => {
  await addAgent(house, 'strange', hostile({ onPrompt: strange }))
  const client = clientOf(house)
  const person = await openPerson(house)
  const { conversation: key } = await person.spawn('strange', { agentId: 'strange' })
  const say = (content: string) => person.say('strange', content)
  expect(await say('files')).toMatchObject({
    content: 'refused with -32601',
    stopReason: 'end_turn',
    error: null,
  })
  expect(await say('nothing')).toMatchObject({
    content: '',
    stopReason: 'empty',
    error: expect.stringMatching(/\w/),
  })
  const usage = { inputTokens: 12, outputTokens: 5, cachedTokens: null, cost: null }
  expect(await say('write')).toMatchObject({ content: 'written', error: null, usage })
  const updates = person.log
    .filter(({ type }) => type === 'agent:update')
    .map(({ update }) => update)
  expect(updates).toContainEqual({ kind: 'title', title: 'A strange talk' })
  expect(updates.findLast(({ kind }) => kind === 'tool')?.call).toMatchObject({
    status: 'completed',
    output: 'written',
    exitCode: 3,
  })
  expect(person.log.some(({ type }) => type === 'permission:requested')).toBe(false)
  expect((await client.get('/api/conversations/{key}', { params: { key } })).title).toBe(
    'A strange talk',
  )
  const [turn] = (
    await client.get('/api/conversations/{key}/turns', { params: { key }, query: { limit: 1 } })
  ).items
  expect(turn).toMatchObject({ stopReason: 'end_turn', usage })

  person.send('agent:message', { role: 'strange', content: 'question' })
  const question = await person.next('question:requested', 'strange')
  expect(question).toMatchObject({
    ...person.about,
    message: 'Which?',
    schema: { required: ['colour'] },
    deadline: expect.any(String),
  })
  const { questionId } = question
  person.send('question:answer', { questionId, action: 'accept', content: { colour: 'blue' } })
  expect(await person.next('agent:response', 'strange')).toMatchObject({
    content: '{"action":"accept","content":{"colour":"blue"}}',
  })

  person.send('agent:message', { role: 'strange', content: 'ask' })
  await person.next('permission:requested', 'strange')
  person.send('agent:cancel', { role: 'strange' })
  expect(await person.next('agent:response', 'strange')).toMatchObject({ stopReason: 'cancelled' })
  for (let time = 0; time < 2; time++)
    expect(await say('again')).toMatchObject({
      error: expect.stringMatching(/Internal error \(Error: lost it\)$/),
    })
  const { unknown } = await client.get('/api/processes/{launchId}', {
    params: { launchId: await launchOf(person, 'strange') },
  })
  expect(unknown).toContainEqual({ kind: 'refused_request', name: 'fs/write_text_file', count: 1 })

  const chat = { projectId: house.projectId, toAgentId: 'strange' }
  const { conversationKey } = await client.post('/api/chat', {
    body: { ...chat, content: 'question' },
  })
  const about = { params: { key: conversationKey } }
  const open = async () => (await client.get('/api/approvals', { query: {} })).items
  await expect.poll(async () => (await open()).length, { timeout: 20_000 }).toBe(1)
  const [asked] = await open()
  const answer = {
    params: { questionId: String(asked?.id) },
    body: { action: 'accept' as const, content: { colour: 'red' } },
  }
  await client.post('/api/questions/{questionId}/answer', answer)
  const said = async () =>
    (await client.get('/api/conversations/{key}/messages', { ...about, query: {} })).items.map(
      ({ content }) => content,
    )
  await expect
    .poll(said, { timeout: 20_000 })
    .toContain('{"action":"accept","content":{"colour":"red"}}')
  await client.post('/api/chat', { body: { ...chat, content: 'nothing' } })
  await expect.poll(async () => (await said()).at(-1), { timeout: 20_000 }).toMatch(/without/)
})
