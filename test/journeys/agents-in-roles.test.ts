/** The whole product with agents in roles: the relay, the coordinator, the demo agent and its worktrees, as a person's console sees them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { agentsOf, endCoordinator, until } from '../support/coordinator-process.ts'
import { openSocket, type SocketClient } from '../support/feed-clients.ts'
import { at } from '../support/git-repository.ts'
import { type RunningHoldfast, startHoldfast } from '../support/running-server.ts'

let holdfast: RunningHoldfast
let projectId = ''

beforeAll(async () => {
  holdfast = await startHoldfast({ up: true })
  const client = createClient({ url: holdfast.url, token: holdfast.token })
  // It is made in the first moment, beside everything else.
  await until(async () => {
    const { items } = await client.get('/api/projects', { query: {} })
    projectId = items.find(({ name }) => name === 'demo')?.id ?? ''
    return projectId !== ''
  })
  await until(async () => (await client.get('/api/coordinators', { query: {} })).items.some(({ state }) => state === 'connected'))
  return async () => {
    await holdfast.kill()
    await endCoordinator(holdfast.data)
  }
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects, and fails when it is not there
type Message = any

class Person {
  readonly #socket: SocketClient
  readonly #about: { readonly sessionId: string }
  /** How far each kind was read. */
  readonly #seen = new Map<string, number>()

  constructor(socket: SocketClient, userSessionId: string) {
    this.#socket = socket
    this.#about = { sessionId: userSessionId }
  }

  send(type: string, fields: object = {}): void {
    this.#socket.send({ type, ...this.#about, ...fields })
  }

  /** The next message of one of these types, about this role when one is named. Others may be waited for at the same time. */
  async next(types: string | readonly string[], role = ''): Promise<Message> {
    const { inbox } = this.#socket
    const key = `${types} ${role}`
    const fits = (message: Message): boolean => [types].flat().includes(message.type) && (role === '' || message.role === role)
    const find = (): number => inbox.all.findIndex((message, index) => index >= (this.#seen.get(key) ?? 0) && fits(message))
    await inbox.until(() => find() >= 0)
    const at = find()
    this.#seen.set(key, at + 1)
    return inbox.all[at]
  }

  async spawn(role: string, fields: object = {}): Promise<Message> {
    const ends = ['agent:ready', 'agent:failed']
    // What became of the one before it is not what becomes of this one.
    this.#seen.set(`${ends} ${role}`, this.#socket.inbox.all.length)
    this.send('agent:spawn', { role, ...fields })
    const end = await this.next(ends, role)
    if (end.type === 'agent:failed') throw new Error(`${end.step}: ${end.error}`)
    return end
  }

  /** Resolves when it has begun to speak. */
  async speaks(role: string): Promise<void> {
    const isSpeech = ({ type, role: of, update }: Message): boolean =>
      type === 'agent:update' && of === role && update.kind === 'text'
    await this.#socket.inbox.until(() => this.#socket.inbox.all.some(isSpeech))
  }

  /** Everything that was heard and is numbered. */
  get log(): Message[] {
    return this.#socket.inbox.all.filter(({ seq }) => seq !== undefined)
  }

  get about(): { readonly sessionId: string } {
    return this.#about
  }

  async say(role: string, content: string): Promise<Message> {
    this.send('agent:message', { role, content })
    return this.next('agent:response', role)
  }
}

async function openPerson(): Promise<Person> {
  const socket = await openSocket({ port: Number(new URL(holdfast.url).port), token: holdfast.token })
  socket.send({ type: 'session:create', projectId })
  const created = await socket.next()
  expect(created).toMatchObject({ type: 'session:created' })
  const person = new Person(socket, created.sessionId)
  onTestFinished(async () => {
    person.send('session:terminate')
  })
  return person
}

test('[AG2] an agent in a role works in a worktree of its own, and its answer is streamed and then whole', async () => {
  const person = await openPerson()
  const ready = await person.spawn('auth')
  expect(ready).toMatchObject({
    role: 'auth',
    agentId: 'demo',
    how: 'new',
    branch: expect.stringMatching(/^holdfast\/\w+\/auth$/),
  })
  expect(ready.workspace.startsWith(join(holdfast.data, 'worktrees', projectId))).toBe(true)
  const response = await person.say('auth', '[[write made.txt by the agent]] done')
  expect(response).toMatchObject({ content: 'wrote made.txt\necho: done', stopReason: 'end_turn' })
  expect(readFileSync(join(ready.workspace, 'made.txt'), 'utf8')).toBe('by the agent')
  expect(at(join(holdfast.data, 'demo')).git('status', '--porcelain', '--branch')).toBe('## main')
})

test('[AP4] what an agent asks waits for the person, and what they say is what happens', async () => {
  const person = await openPerson()
  const { workspace } = await person.spawn('careful')
  for (const [kind, path, content] of [
    ['allow_once', 'yes.txt', 'allowed\nwrote yes.txt'],
    ['reject_once', 'no.txt', 'refused\ndid not write no.txt'],
  ] as const) {
    const answered = person.say('careful', `[[ask]][[write ${path} x]]`)
    const { approvalId, options } = await person.next('permission:requested', 'careful')
    person.send('permission:answer', { approvalId, optionId: options.find((each: Message) => each.kind === kind).optionId })
    expect(await answered).toMatchObject({ content })
    expect(existsSync(join(workspace, path))).toBe(kind === 'allow_once')
  }
})

test('[AG4] one agent crashes, the other goes on; the retry brings its session back', async () => {
  const person = await openPerson()
  await Promise.all([person.spawn('one'), person.spawn('two')])
  await person.say('one', 'remember this')
  const slow = person.say('two', '[[slow 10 50]]')
  person.send('agent:message', { role: 'one', content: '[[say going]][[crash]]' })
  expect(await person.next('agent:failed', 'one')).toMatchObject({ step: 'running', exitCode: 1 })
  expect((await slow).content).toContain('piece 10')
  expect(await person.spawn('one', { load: true })).toMatchObject({ how: 'loaded', notRestored: null })
  expect(await person.say('one', 'here again')).toMatchObject({ content: 'echo: here again' })
})

test('[RL6] messages queue behind a turn, and a cancel stops the turn without ending the agent', async () => {
  const person = await openPerson()
  await person.spawn('busy')
  person.send('agent:message', { role: 'busy', content: '[[slow 1000 50]]' })
  await person.speaks('busy')
  person.send('agent:message', { role: 'busy', content: 'next' })
  await person.next('agent:queued', 'busy')
  person.send('agent:cancel', { role: 'busy' })
  expect(await person.next('agent:response', 'busy')).toMatchObject({ stopReason: 'cancelled' })
  expect(await person.next('agent:response', 'busy')).toMatchObject({ content: 'echo: next', stopReason: 'end_turn' })
})

test('[US2] a workspace that leaves its root fails by its step, and nothing is started', async () => {
  const person = await openPerson()
  await expect(person.spawn('out', { workspace: '../../out' })).rejects.toThrow(/^workspace: /)
})

test('[US4] terminating the session ends every agent, whatever it does, and keeps the worktrees', async () => {
  const person = await openPerson()
  const roles = ['calm', 'stubborn', 'hanging']
  const ready = await Promise.all(roles.map((role) => person.spawn(role)))
  await person.say('stubborn', '[[ignore-sigterm]][[fork]]')
  await person.say('calm', '[[write kept.txt x]]')
  person.send('agent:message', { role: 'hanging', content: '[[ignore-cancel]][[hang]]' })
  await person.speaks('hanging')
  person.send('agent:spawn', { role: 'starting' })
  await person.next('agent:spawning', 'starting')
  const before = (await agentsOf(holdfast.data)).length
  expect(before).toBeGreaterThanOrEqual(3)
  person.send('session:terminate')
  expect(await person.next('session:terminated')).toMatchObject({ agentsTerminated: 4 })
  expect(existsSync(join(ready[0].workspace, 'kept.txt'))).toBe(true)
})

test('[RL4] the server is killed in the middle of a turn and started again: the agent goes on, and nothing is missed or doubled', async () => {
  const person = await openPerson()
  await person.spawn('steady')
  person.send('agent:message', { role: 'steady', content: '[[slow 60 25]]' })
  await person.speaks('steady')
  await holdfast.kill()
  const before = person.log
  holdfast = await startHoldfast({ up: true, data: holdfast.data, args: ['--port', new URL(holdfast.url).port] })
  const socket = await openSocket({ port: Number(new URL(holdfast.url).port), token: holdfast.token })
  socket.send({ type: 'session:resume', ...person.about, lastSeq: before.at(-1).seq })
  const response = await socket.next('agent:response')
  const pieces = Array.from({ length: 60 }, (_, index) => `piece ${index + 1}`).join(' ')
  expect(response).toMatchObject({ content: pieces, stopReason: 'end_turn' })
  const log = [...before, ...socket.inbox.all.filter(({ seq }) => seq !== undefined)]
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  const said = log.map(({ type, update }) => (type === 'agent:update' && update.kind === 'text' ? update.text : '')).join('')
  expect(said).toBe(pieces)
  socket.send({ type: 'session:terminate', ...person.about })
  await socket.next('session:terminated')
})
