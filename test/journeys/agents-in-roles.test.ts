/**
 * The whole product with agents in roles: the relay, the coordinator, the demo agent and its
 * worktrees, as a person's console sees them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { until } from '../support/coordinator-process.ts'
import { openSocket } from '../support/feed-clients.ts'
import { at } from '../support/git-repository.ts'
import { hostile } from '../support/hostile-agent.ts'
import {
  addAgent,
  clientOf,
  type House,
  type Message,
  openHouse,
  openPerson,
  type Person,
} from '../support/person.ts'
import { startHoldfast } from '../support/running-server.ts'

let house: House

beforeAll(async () => {
  house = await openHouse()
  // This agent never answers to initialize: a role spawned with it stays in SPAWNING.
  await addAgent(house, 'mute', hostile({ onInitialize: '' }))
  return house.end
})

const stateOf = async ({ about }: Person) =>
  clientOf(house).get('/api/user-sessions/{userSessionId}', {
    params: { userSessionId: about.sessionId },
  })

/** Spawned, and its process lives; it does not become ready. */
async function spawning(person: Person, role: string): Promise<void> {
  const before = (await person.processes()).length
  person.send('agent:spawn', { role, agentId: 'mute' })
  await person.next('agent:spawning', role)
  await until(async () => (await person.processes()).length > before)
}

test('[US1] from the first to the last: created, spawned, answered, the agent terminated, the session terminated, another created', async () => {
  const person = await openPerson(house)
  expect(await stateOf(person)).toMatchObject({ state: 'ACTIVE', agents: [] })
  const { workspace } = await person.spawn('auth')
  expect(await person.roster()).toEqual(['auth ACTIVE'])
  expect(await person.say('auth', 'hello')).toMatchObject({
    role: 'auth',
    content: 'echo: hello',
    stopReason: 'end_turn',
  })
  expect(await person.processes()).toHaveLength(1)
  person.send('agent:terminate', { role: 'auth' })
  expect(await person.next('agent:terminated')).toMatchObject({
    role: 'auth',
    reason: 'user requested',
  })
  expect(await person.processes()).toEqual([])
  expect(await stateOf(person)).toMatchObject({ state: 'ACTIVE', agents: [] })
  await person.spawn('db')
  person.send('session:terminate')
  expect(await person.next('session:terminated')).toMatchObject({
    reason: 'user requested',
    agentsTerminated: 1,
  })
  expect(await person.processes()).toEqual([])
  expect(await stateOf(person)).toMatchObject({ state: 'TERMINATED' })
  const { items } = await clientOf(house).get('/api/user-sessions', { query: {} })
  expect(items.map(({ id }) => id)).not.toContain(person.about.sessionId)
  expect(existsSync(workspace)).toBe(true)
  const next = await openPerson(house)
  expect(next.about.sessionId).not.toBe(person.about.sessionId)
  expect(await stateOf(next)).toMatchObject({ state: 'ACTIVE', agents: [] })
})

test('[US2] a role that is taken, one that nobody has, one terminated twice: each has its own answer, and nothing else happens', async () => {
  const person = await openPerson(house)
  await person.spawn('auth')
  person.send('agent:spawn', { role: 'auth', requestId: 'twice' })
  expect(await person.next('error')).toMatchObject({ code: 'role_taken', requestId: 'twice' })
  person.send('agent:message', { role: 'nobody', content: 'hello', requestId: 'nobody' })
  expect(await person.next('error')).toMatchObject({ code: 'agent_not_found', requestId: 'nobody' })
  expect(await person.processes()).toHaveLength(1)
  expect(await person.say('auth', 'still there')).toMatchObject({ content: 'echo: still there' })
  for (const reason of ['user requested', 'already terminated', 'already terminated']) {
    person.send('agent:terminate', { role: 'auth' })
    expect(await person.next('agent:terminated', 'auth')).toMatchObject({ reason })
  }
  person.send('session:terminate')
  await person.next('session:terminated')
  person.send('agent:spawn', { role: 'auth', requestId: 'late' })
  expect(await person.next('error')).toMatchObject({
    code: 'user_session_terminated',
    requestId: 'late',
  })
})

test('[AG2] an agent in a role works in a worktree of its own, and its answer is streamed and then whole', async () => {
  const { data } = house.holdfast
  const person = await openPerson(house)
  const ready = await person.spawn('auth')
  expect(ready).toMatchObject({
    role: 'auth',
    agentId: 'demo',
    how: 'new',
    branch: expect.stringMatching(/^holdfast\/\w+\/auth$/),
  })
  expect(ready.workspace.startsWith(join(data, 'worktrees', house.projectId))).toBe(true)
  const response = await person.say('auth', '[[write made.txt by the agent]] done')
  expect(response).toMatchObject({ content: 'wrote made.txt\necho: done', stopReason: 'end_turn' })
  expect(readFileSync(join(ready.workspace, 'made.txt'), 'utf8')).toBe('by the agent')
  expect(at(join(data, 'demo')).git('status', '--porcelain', '--branch')).toBe('## main')
})

test('[AG3] three side by side, each in its own worktree: one is terminated, the others go on and end with the session', async () => {
  const person = await openPerson(house)
  const roles = ['auth', 'db', 'tests']
  const ready = await Promise.all(roles.map((role) => person.spawn(role)))
  expect((await person.roster()).toSorted()).toEqual(['auth ACTIVE', 'db ACTIVE', 'tests ACTIVE'])
  await Promise.all(roles.map((role) => person.say(role, `[[write ${role}.txt by ${role}]]`)))
  for (const { role, workspace } of ready)
    for (const other of roles)
      expect(existsSync(join(workspace, `${other}.txt`))).toBe(other === role)
  person.send('agent:terminate', { role: 'auth' })
  expect(await person.next('agent:terminated', 'auth')).toMatchObject({ reason: 'user requested' })
  expect((await person.roster()).toSorted()).toEqual(['db ACTIVE', 'tests ACTIVE'])
  for (const role of ['db', 'tests'])
    expect(await person.say(role, 'hello')).toMatchObject({ content: 'echo: hello' })
  person.send('session:terminate')
  expect(await person.next('session:terminated')).toMatchObject({ agentsTerminated: 2 })
  expect(await person.processes()).toEqual([])
  for (const { role, workspace } of ready)
    expect(readFileSync(join(workspace, `${role}.txt`), 'utf8')).toBe(`by ${role}`)
})

test('[AP4] what an agent asks waits for the person, and what they say is what happens', async () => {
  const person = await openPerson(house)
  const { workspace } = await person.spawn('careful')
  for (const [kind, path, content] of [
    ['allow_once', 'yes.txt', 'allowed\nwrote yes.txt'],
    ['reject_once', 'no.txt', 'refused\ndid not write no.txt'],
  ] as const) {
    const answered = person.say('careful', `[[ask]][[write ${path} x]]`)
    const { approvalId, options } = await person.next('permission:requested', 'careful')
    person.send('permission:answer', {
      approvalId,
      optionId: options.find((each: Message) => each.kind === kind).optionId,
    })
    expect(await answered).toMatchObject({ content })
    expect(existsSync(join(workspace, path))).toBe(kind === 'allow_once')
  }
})

test('[AC2] agents in roles record what they learnt and save their state with our tools, without a sign-in, each for its own work', async () => {
  const person = await openPerson(house)
  const roles = ['scribe', 'clerk']
  await Promise.all(roles.map((role) => person.spawn(role)))
  for (const role of roles)
    expect(
      await person.say(role, `[[record learnt as ${role}]] [[checkpoint half way as ${role}]]`),
    ).toMatchObject({
      content: 'record_approach: done\nsave_checkpoint: done',
    })
  const params = { projectId: house.projectId }
  const approaches = await clientOf(house).get('/api/projects/{projectId}/approaches', {
    params,
    query: {},
  })
  const work = await clientOf(house).get('/api/projects/{projectId}/sessions', {
    params,
    query: {},
  })
  for (const role of roles) {
    const own = work.items.find(({ currentAgentRole }) => currentAgentRole === role)
    expect(own).toMatchObject({ contextSummary: `half way as ${role}` })
    const learnt = { description: `learnt as ${role}`, sessionId: own?.id, kind: 'verified' }
    expect(approaches.items).toContainEqual(expect.objectContaining(learnt))
  }
})

test('[AG4] one agent crashes, the other goes on and the session stays; the retry brings its ACP session back', async () => {
  const person = await openPerson(house)
  await Promise.all([person.spawn('one'), person.spawn('two')])
  await person.say('one', 'remember this')
  const slow = person.say('two', '[[slow 10 50]]')
  person.send('agent:message', { role: 'one', content: '[[say going]][[crash]]' })
  expect(await person.next('agent:failed', 'one')).toMatchObject({ step: 'running', exitCode: 1 })
  expect(await stateOf(person)).toMatchObject({
    state: 'ACTIVE',
    agents: [
      { role: 'one', state: 'FAILED', error: expect.any(String) },
      { role: 'two', state: 'ACTIVE' },
    ],
  })
  expect((await slow).content).toContain('piece 10')
  expect(await person.spawn('one', { load: true })).toMatchObject({
    how: 'loaded',
    notRestored: null,
  })
  expect(await person.say('one', 'here again')).toMatchObject({ content: 'echo: here again' })
})

test('[RL6] messages queue behind a turn, one is withdrawn, and a cancel stops the turn without ending the agent', async () => {
  const person = await openPerson(house)
  await person.spawn('busy')
  person.send('agent:message', { role: 'busy', content: '[[slow 1000 50]]' })
  await person.speaks('busy')
  person.send('agent:message', { role: 'busy', content: 'never' })
  const { messageId } = await person.next('agent:queued', 'busy')
  person.send('agent:message', { role: 'busy', content: 'next' })
  await person.next('agent:queued', 'busy')
  person.send('agent:withdraw', { role: 'busy', messageId })
  expect(await person.next('agent:withdrawn', 'busy')).toMatchObject({ messageId })
  person.send('agent:cancel', { role: 'busy' })
  expect(await person.next('agent:response', 'busy')).toMatchObject({ stopReason: 'cancelled' })
  expect(await person.next('agent:response', 'busy')).toMatchObject({
    content: 'echo: next',
    stopReason: 'end_turn',
  })
})

test('[US8] an absolute workspace below the project’s folder is where the agent works; one elsewhere is refused in words', async () => {
  const person = await openPerson(house)
  const named = join(house.holdfast.data, 'demo', 'packages', 'ui')
  const { workspace } = await person.spawn('ui', { workspace: named })
  expect(workspace).toBe(named)
  await person.say('ui', '[[write made.txt here]]')
  expect(readFileSync(join(named, 'made.txt'), 'utf8')).toBe('here')
  await expect(person.spawn('far', { workspace: '/etc/holdfast' })).rejects.toThrow(
    /^workspace: .*neither below/,
  )
  expect(existsSync('/etc/holdfast')).toBe(false)
})

test('[US2] a workspace that leaves its root, or cannot be made, fails at that step and makes nothing; the session and its others go on', async () => {
  const person = await openPerson(house)
  const { workspace } = await person.spawn('steady')
  await person.say('steady', '[[write file.txt x]]')
  const outside = join(workspace, '..', '..', 'out')
  for (const wrong of ['../out', '../../../out', 'steady/file.txt']) {
    await expect(person.spawn('shaky', { workspace: wrong })).rejects.toThrow(/^workspace: /)
    expect((await person.roster()).toSorted()).toEqual(['shaky FAILED', 'steady ACTIVE'])
  }
  expect(existsSync(outside)).toBe(false)
  expect(await stateOf(person)).toMatchObject({ state: 'ACTIVE' })
  expect(await person.say('steady', 'hello')).toMatchObject({ content: 'echo: hello' })
  await person.spawn('shaky')
  expect((await person.roster()).toSorted()).toEqual(['shaky ACTIVE', 'steady ACTIVE'])
})

test('[AG3] one that is terminated while it starts leaves nothing behind, and its role is free', async () => {
  const person = await openPerson(house)
  await spawning(person, 'auth')
  expect(await person.roster()).toEqual(['auth SPAWNING'])
  person.send('agent:terminate', { role: 'auth' })
  expect(await person.next('agent:terminated', 'auth')).toMatchObject({ reason: 'user requested' })
  expect(await person.processes()).toEqual([])
  expect(await person.roster()).toEqual([])
  await person.spawn('auth')
  expect(await person.say('auth', 'hello')).toMatchObject({ content: 'echo: hello' })
})

test('[US4] a session with agents in every state is terminated: nothing of any is left but the worktrees', async () => {
  const person = await openPerson(house)
  const roles = ['calm', 'stubborn', 'hanging', 'asking', 'gone', 'crashed']
  const ready = await Promise.all(roles.map((role) => person.spawn(role)))
  await person.say('calm', '[[write kept.txt x]]')
  await person.say('stubborn', '[[ignore-sigterm]][[fork]]')
  person.send('agent:message', { role: 'hanging', content: '[[ignore-cancel]][[hang]]' })
  await person.speaks('hanging')
  person.send('agent:message', { role: 'asking', content: '[[ask]]' })
  await person.next('permission:requested', 'asking')
  person.send('agent:terminate', { role: 'gone' })
  await person.next('agent:terminated', 'gone')
  person.send('agent:message', { role: 'crashed', content: '[[crash]]' })
  await person.next('agent:failed', 'crashed')
  await spawning(person, 'starting')
  expect((await person.roster()).toSorted()).toEqual([
    'asking ACTIVE',
    'calm ACTIVE',
    'crashed FAILED',
    'hanging ACTIVE',
    'starting SPAWNING',
    'stubborn ACTIVE',
  ])
  // Five agents, and what one of them has started.
  expect(await person.processes()).toHaveLength(6)
  person.send('session:terminate')
  expect(await person.next('session:terminated')).toMatchObject({ agentsTerminated: 6 })
  expect(await stateOf(person)).toMatchObject({ state: 'TERMINATED' })
  await until(async () => (await person.processes()).length === 0)
  for (const { workspace } of ready) expect(existsSync(workspace)).toBe(true)
  expect(existsSync(join(ready[0].workspace, 'kept.txt'))).toBe(true)
})

test('[RL4] the server is killed in the middle of a turn and started again: the agent goes on, and two devices miss and double nothing', async () => {
  const person = await openPerson(house)
  await person.spawn('steady')
  person.send('agent:message', { role: 'steady', content: '[[slow 60 25]]' })
  await person.speaks('steady')
  await house.holdfast.kill()
  const before = person.log
  const { data, url, token } = house.holdfast
  const port = Number(new URL(url).port)
  house.holdfast = await startHoldfast({ up: true, data, args: ['--port', String(port)] })
  const pieces = Array.from({ length: 60 }, (_, index) => `piece ${index + 1}`).join(' ')
  const follow = async (lastSeq: number) => {
    const socket = await openSocket({ port, token })
    socket.send({ type: 'session:resume', ...person.about, lastSeq })
    return socket
  }
  const [same, phone] = [await follow(before.at(-1).seq), await follow(0)]
  expect(await same.next('agent:response')).toMatchObject({
    content: pieces,
    stopReason: 'end_turn',
  })
  await phone.next('agent:response')
  const numbered = ({ inbox }: typeof same): Message[] =>
    inbox.all.filter(({ seq }) => seq !== undefined)
  const log = [...before, ...numbered(same)]
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  expect(numbered(phone)).toEqual(log)
  const said = log
    .map(({ type, update }) =>
      type === 'agent:update' && update.kind === 'text' ? update.text : '',
    )
    .join('')
  expect(said).toBe(pieces)
  same.send({ type: 'session:terminate', ...person.about })
  await same.next('session:terminated')
})

test('[AP13] a question is asked, the server killed, the answer given on another device, and the agent takes it', async () => {
  const person = await openPerson(house)
  await person.spawn('asking')
  person.send('agent:message', { role: 'asking', content: '[[question Which colour?]]' })
  const { questionId, schema } = await person.next('question:requested', 'asking')
  expect(schema).toMatchObject({ type: 'object', required: ['colour'] })
  await house.holdfast.kill()
  const { data, url, token } = house.holdfast
  const port = Number(new URL(url).port)
  house.holdfast = await startHoldfast({ up: true, data, args: ['--port', String(port)] })
  const phone = await openSocket({ port, token })
  phone.send({ type: 'session:resume', ...person.about })
  expect((await phone.next('session:snapshot')).agents).toMatchObject([
    { questions: [{ questionId }] },
  ])
  phone.send({
    type: 'question:answer',
    ...person.about,
    questionId,
    action: 'accept',
    content: { colour: 'blue', count: 2 },
  })
  expect(await phone.next('agent:response')).toMatchObject({
    content: 'answered {"colour":"blue","count":2}',
  })
  phone.send({ type: 'session:terminate', ...person.about })
  await phone.next('session:terminated')
})
