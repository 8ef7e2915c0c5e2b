/**
 * A person's own agent at the sessions of that person (MC6): the official client with a person's
 * token; the test plays the machine.
 */
import { expect, test, vi } from 'vitest'
import { started } from '../../services/processes/launch-pad.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { connectMcp } from '../../support/mcp.ts'
import { asks, questions, readyAgent, said, turnEnded, update } from '../../support/relay.ts'

const toolsOfSessions = [
  'list_sessions',
  'search_sessions',
  'start_session',
  'prompt_session',
  'wait_for_session',
  'read_session',
  'read_diff',
  'answer_approval',
]

async function open() {
  const chat = await openAcpChat()
  const { server, room, machine } = chat
  const own = await connectMcp(server.url, server.ownerToken)
  const bringUp = async () => {
    const { launchId } = await machine.order('launch-begun')
    await machine.tell(started(launchId), readyAgent(launchId))
    return { launchId, turnId: (await machine.turn()).turnId }
  }
  const start = async (prompt: string, more: object = {}) => {
    const begun = await own.call('start_session', {
      project_id: room.projectId,
      agent_id: 'coder',
      prompt,
      ...more,
    })
    return { ...begun, key: begun['session'] as string }
  }
  const person = async (role: string) => {
    const body = { name: role, role }
    const { token } = (await server.ask('/api/people', { method: 'POST', body })).json
    return connectMcp(server.url, token)
  }
  return { ...chat, projectId: room.projectId, own, bringUp, start, person }
}

/** What a session's turns said, as it was read. */
const wordsOf = (read: { turns: { items: { text?: string; kind: string }[] }[] }): string[] =>
  read.turns.map(({ items }) => items.map(({ text, kind }) => text ?? kind).join('|'))

test('[MC6] a person’s agent begins a session, waits for its end, and reads what came', async () => {
  const { own, start, bringUp, machine, projectId } = await open()
  const places = (await own.call('list_sessions')).projects
  expect(places).toEqual([expect.objectContaining({ project_id: projectId, name: 'console' })])
  expect(places[0].agent_ids).toContain('coder')
  const { key, position } = await start('build it', { title: 'The build' })
  const { launchId, turnId } = await bringUp()
  expect(await own.call('list_sessions', { project_id: projectId })).toMatchObject({
    ['sessions']: [{ ['session']: key, title: 'The build', agent_id: 'coder', state: 'working' }],
    cursor: null,
  })
  const atWork = await own.call('wait_for_session', { ['session']: key, seconds: 0 })
  expect(atWork).toMatchObject({ ['session']: key, running: true, state: 'working', answer: null })
  const waiting = own.call('wait_for_session', { ['session']: key })
  await machine.tell(
    update(launchId, turnId, { kind: 'thought', text: 'hm' }),
    said(launchId, turnId, 'It is built.'),
    turnEnded(launchId, turnId),
  )
  const done = await waiting
  expect(done).toMatchObject({
    running: false,
    state: 'idle',
    stop_reason: 'end_turn',
    answer: 'It is built.',
    approvals: [],
  })
  const read = await own.call('read_session', { ['session']: key, position })
  expect(read).toMatchObject({
    title: 'The build',
    running: false,
    more: false,
    turns: [{ agent_id: 'coder', state: 'answered', prompt: 'build it' }],
  })
  expect(wordsOf(read)).toEqual(['hm|It is built.'])
  expect(read.position).toBe(done.position)
  // The next prompt, read from where this one began.
  const next = await own.call('prompt_session', { ['session']: key, prompt: 'and test it' })
  expect(next.position).toBe(done.position)
  const second = await machine.turn()
  await machine.tell(said(launchId, second.turnId, 'Half'))
  const half = await own.call('read_session', { ['session']: key, position: next.position })
  expect(wordsOf(half)).toEqual(['', 'Half'])
  await machine.tell(said(launchId, second.turnId, ' done'), turnEnded(launchId, second.turnId))
  const rest = await own.call('read_session', { ['session']: key, position: half.position })
  expect(wordsOf(rest)).toEqual([' done'])
  expect(rest.turns[0]).toMatchObject({ prompt: 'and test it', state: 'answered' })
  expect(await own.call('search_sessions', { query: 'built' })).toMatchObject({
    found: [{ ['session']: key, role: 'assistant', excerpt: 'It is built.' }],
    ['sessions']: [],
  })
  expect((await own.call('search_sessions', { query: 'The build' }))['sessions']).toEqual([
    { ['session']: key, title: 'The build' },
  ])
})

test('[MC6] after fifty seconds it answers that the session runs, and where it stands', async () => {
  const { own, start, bringUp, machine, clock, server } = await open()
  const { key } = await start('slowly')
  const { launchId, turnId } = await bringUp()
  await machine.tell(said(launchId, turnId, 'first'))
  const waiting = own.call('wait_for_session', { ['session']: key, seconds: 600 })
  let answered = false
  void waiting.then(() => {
    answered = true
  })
  // The server's clock is what it waits by.
  while (!answered) {
    clock.advance(1000)
    await server.ask('/api/health')
  }
  expect(await waiting).toMatchObject({ running: true, state: 'working', answer: null })
  const { position } = await waiting
  await machine.tell(said(launchId, turnId, ' second'))
  const read = await own.call('read_session', { ['session']: key, position })
  expect(wordsOf(read)).toEqual([' second'])
})

test('[MC6] who may decide is told at once what is asked, and decides it', async () => {
  const { own, start, bringUp, machine, person } = await open()
  const { key } = await start('write a file')
  const { launchId, turnId } = await bringUp()
  const waiting = own.call('wait_for_session', { ['session']: key })
  await machine.tell(asks(launchId, turnId, 'ask 1'))
  const { approvals, running } = await waiting
  expect(running).toBe(true)
  expect(approvals).toEqual([
    {
      approval_id: expect.any(Number),
      kind: 'permission',
      title: 'Write hello.txt',
      text: '{"path":"hello.txt"}',
    },
  ])
  const [{ approval_id }] = approvals
  const answer = { approval_id, decision: 'approved' }
  // Who may not decide is refused, and waits on.
  const viewer = await person('viewer')
  expect(await viewer.failure('answer_approval', answer)).toBe('missing_scope')
  expect(await own.call('answer_approval', answer)).toEqual({
    approval_id,
    status: 'approved',
    ['session']: key,
  })
  expect(await machine.order('permission-settled')).toMatchObject({ optionId: 'yes' })
  expect(await own.failure('answer_approval', { ...answer, decision: 'rejected' })).toBe(
    'approval_decided',
  )
  await machine.tell(questions(launchId, turnId, 'ask 2'))
  const asked = await own.call('wait_for_session', { ['session']: key })
  expect(asked.approvals).toMatchObject([{ kind: 'question', title: 'Which colour?' }])
  const refused = { approval_id: asked.approvals[0].approval_id, decision: 'rejected' }
  expect(await own.call('answer_approval', refused)).toMatchObject({ status: 'rejected' })
  await machine.tell(turnEnded(launchId, turnId))
  const read = await own.call('read_session', { ['session']: key })
  expect(read.turns[0].items).toMatchObject([
    { kind: 'permission', approval_id, outcome: 'allowed', decided_by: 'owner' },
    { kind: 'question', outcome: 'denied' },
  ])
})

test('[MC6] a prompt that is sent again is taken once, and bad arguments change nothing', async () => {
  const { own, start, bringUp, machine, server, projectId } = await open()
  const { key } = await start('once', { client_id: 'a' })
  expect((await start('once', { client_id: 'a' })).key).toBe(key)
  const { launchId, turnId } = await bringUp()
  const again = { ['session']: key, prompt: 'twice', client_id: 'b' }
  await own.call('prompt_session', again)
  await own.call('prompt_session', again)
  expect(await own.failure('prompt_session', { ...again, prompt: 'other' })).toBe(
    'idempotency_key_reused',
  )
  await machine.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
  expect((await machine.turn()).content).toEqual([{ type: 'text', text: 'twice' }])
  const before = (await server.ask(`/api/conversations/${key}`)).json
  const wrong: [string, Record<string, unknown>, string][] = [
    ['prompt_session', { ['session']: 'session:none', prompt: 'x' }, 'not_found'],
    ['prompt_session', { ['session']: key, prompt: '' }, 'invalid_request'],
    ['prompt_session', { ['session']: '../x', prompt: 'x' }, 'invalid_key'],
    ['start_session', { project_id: 'none', agent_id: 'coder', prompt: 'x' }, 'not_found'],
    [
      'start_session',
      { project_id: projectId, agent_id: 'nobody', prompt: 'x' },
      'agent_not_found',
    ],
    ['wait_for_session', { ['session']: 'session:none' }, 'not_found'],
    ['wait_for_session', { ['session']: key, seconds: -1 }, 'invalid_request'],
    ['read_session', { ['session']: key, position: 'nonsense' }, 'invalid_request'],
    ['read_session', { ['session']: 'session:none' }, 'not_found'],
    ['read_diff', { ['session']: 'session:none' }, 'not_found'],
    ['answer_approval', { approval_id: 999, decision: 'approved' }, 'not_found'],
    ['answer_approval', { approval_id: 1, decision: 'revision_requested' }, 'invalid_request'],
    ['search_sessions', { query: '"' }, 'invalid_request'],
    ['list_sessions', { cursor: 'nonsense' }, 'invalid_request'],
  ]
  for (const [name, args, code] of wrong) expect(await own.failure(name, args), name).toBe(code)
  expect((await server.ask(`/api/conversations/${key}`)).json).toEqual(before)
})

test('[MC6] a wait whose credential is revoked meanwhile learns nothing', async () => {
  const { start, bringUp, machine, server } = await open()
  const body = { name: 'mine', kind: 'script', scopes: ['read'] }
  const { token, id } = (await server.ask('/api/tokens', { method: 'POST', body })).json
  const mine = await connectMcp(server.url, token)
  const { key } = await start('secret work')
  const { launchId, turnId } = await bringUp()
  const begun = new Promise((resolve) => {
    const { on } = server.store.doorbell
    vi.spyOn(server.store.doorbell, 'on').mockImplementation((...heard) => {
      resolve(undefined)
      return on.apply(server.store.doorbell, heard)
    })
  })
  const waiting = mine.failure('wait_for_session', { ['session']: key })
  await begun
  await server.ask(`/api/tokens/${id}`, { method: 'DELETE' })
  await machine.tell(said(launchId, turnId, 'secret'), turnEnded(launchId, turnId))
  expect(await waiting).toBe('authentication_failed')
})

test('[MC6] agents that work here are offered none of it, and refused in words', async () => {
  const { own, server, projectId, person } = await open()
  const named = async ({ client }: typeof own) =>
    (await client.listTools()).tools.map(({ name }) => name)
  expect((await named(own)).slice(0, toolsOfSessions.length)).toEqual(toolsOfSessions)
  expect(own.client.getInstructions()).toContain('wait_for_session')
  const body = { id: 'puller', name: 'Puller', protocol: 'mcp' }
  const { passkey } = (await server.ask('/api/agents', { method: 'POST', body })).json
  await server.ask(`/api/projects/${projectId}/agents/puller`, { method: 'PUT', body: {} })
  const puller = await connectMcp(server.url, passkey)
  expect((await named(puller)).filter((name) => toolsOfSessions.includes(name))).toEqual([])
  expect(puller.client.getInstructions()).not.toContain('wait_for_session')
  for (const name of toolsOfSessions) expect(await puller.failure(name)).toBe('missing_scope')
  const viewer = await person('viewer')
  const begin = { project_id: projectId, agent_id: 'coder', prompt: 'x' }
  expect(await viewer.failure('start_session', begin)).toBe('missing_scope')
  expect((await viewer.call('list_sessions'))['sessions']).toEqual([])
})

test('[MC6] an agent in a role is prompted and read by the key of its conversation', async () => {
  const { room, own, machine } = await open()
  const { inside, launchId } = await roleIn(room, machine)
  const key = `console:${inside.sessionId}.auth`
  const sent = { ['session']: key, prompt: 'hello', client_id: 'r1' }
  const { position } = await own.call('prompt_session', sent)
  await own.call('prompt_session', sent)
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'Hi'), turnEnded(launchId, turnId))
  expect(await own.call('wait_for_session', { ['session']: key })).toMatchObject({
    running: false,
    answer: 'Hi',
  })
  expect(wordsOf(await own.call('read_session', { ['session']: key, position }))).toEqual(['Hi'])
  const listed: { ['session']: string }[] = (await own.call('list_sessions'))['sessions']
  expect(listed.map((each) => each['session'])).toContain(key)
})

async function roleIn(
  room: Awaited<ReturnType<typeof openAcpChat>>['room'],
  machine: Awaited<ReturnType<typeof openAcpChat>>['machine'],
) {
  const client = await room.client()
  const inside = await room.created(client)
  client.send({ type: 'agent:spawn', ...inside, role: 'auth' })
  const launchId = await machine.bringUp()
  await client.next('agent:ready')
  return { inside, launchId }
}
