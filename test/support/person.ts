/**
 * A person at a console of the whole product: one WebSocket, one user session, agents in roles. The
 * session is terminated with the test.
 */
import { expect, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import type { AgentCommand } from './acp-agent.ts'
import { endCoordinator, until } from './coordinator-process.ts'
import { openSocket, type SocketClient } from './feed-clients.ts'
import { type RunningHoldfast, startHoldfast } from './running-server.ts'
import { machine } from './script-process.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects, and fails when it is not there
export type Message = any

export interface House {
  holdfast: RunningHoldfast
  /** The demo project's. */
  readonly projectId: string
  readonly end: () => Promise<void>
}

/** `up` with its coordinator and the demo project. */
export async function openHouse(): Promise<House> {
  const holdfast = await startHoldfast({ up: true })
  const client = createClient({ url: holdfast.url, token: holdfast.token })
  let projectId = ''
  // The demo is made right after the start, beside everything else.
  await until(async () => {
    const { items } = await client.get('/api/projects', { query: {} })
    projectId = items.find(({ name }) => name === 'demo')?.id ?? ''
    return projectId !== ''
  })
  await until(async () =>
    (await client.get('/api/coordinators', { query: {} })).items.some(
      ({ state }) => state === 'connected',
    ),
  )
  const house: House = {
    holdfast,
    projectId,
    end: async () => {
      await house.holdfast.kill()
      await endCoordinator(house.holdfast.data)
    },
  }
  return house
}

export const clientOf = ({ holdfast: { url, token } }: House) => createClient({ url, token })

/** An agent that is this program, in the demo project unless another is named. */
export async function addAgent(
  house: House,
  id: string,
  command: AgentCommand,
  projectId = house.projectId,
): Promise<void> {
  const client = clientOf(house)
  const { file, args, env = {} } = command
  const body = {
    id,
    name: id,
    protocol: 'acp' as const,
    command: file,
    args: [...args],
    env: { ...env },
  }
  await client.post('/api/agents', { body })
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: id },
    body: {},
  })
}

export class Person {
  readonly socket: SocketClient
  readonly about: { readonly sessionId: string }
  /** How far each kind was read. */
  readonly #seen = new Map<string, number>()

  constructor(socket: SocketClient, userSessionId: string) {
    this.socket = socket
    this.about = { sessionId: userSessionId }
  }

  send(type: string, fields: object = {}): void {
    this.socket.send({ type, ...this.about, ...fields })
  }

  /**
   * The next message of one of these types, about this role when one is named. Others may be waited
   * for at the same time.
   */
  async next(types: string | readonly string[], role = ''): Promise<Message> {
    const { inbox } = this.socket
    const key = `${types} ${role}`
    const fits = (message: Message): boolean =>
      [types].flat().includes(message.type) && (role === '' || message.role === role)
    const find = (): number =>
      inbox.all.findIndex((message, index) => index >= (this.#seen.get(key) ?? 0) && fits(message))
    // When two wait for the same, the one that looks first takes it, and the other waits for the
    // next.
    let at = find()
    for (; at < 0; at = find()) await inbox.until(() => find() >= 0)
    this.#seen.set(key, at + 1)
    return inbox.all[at]
  }

  async spawn(role: string, fields: object = {}): Promise<Message> {
    const ends = ['agent:ready', 'agent:failed']
    // What became of the one before it is not what becomes of this one.
    this.#seen.set(`${ends} ${role}`, this.socket.inbox.all.length)
    this.send('agent:spawn', { role, ...fields })
    const end = await this.next(ends, role)
    if (end.type === 'agent:failed') throw new Error(`${end.step}: ${end.error}`)
    return end
  }

  /** Resolves when it has begun to speak. */
  async speaks(role: string): Promise<void> {
    const isSpeech = ({ type, role: of, update }: Message): boolean =>
      type === 'agent:update' && of === role && update.kind === 'text'
    await this.socket.inbox.until(() => this.socket.inbox.all.some(isSpeech))
  }

  async say(role: string, content: string): Promise<Message> {
    this.send('agent:message', { role, content })
    return this.next('agent:response', role)
  }

  /** The agents that are there, each with its state. */
  async agents(): Promise<Message[]> {
    this.send('agent:list')
    return (await this.next('agent:list')).agents
  }

  /** `role STATE` of each. */
  async roster(): Promise<string[]> {
    return (await this.agents()).map(({ role, state }) => `${role} ${state}`)
  }

  /**
   * The numbers of the processes that live now and were started for this session, with all that
   * they have started.
   */
  async processes(): Promise<number[]> {
    const launches = new Set(
      this.log.filter(({ type }) => type === 'agent:spawning').map(({ launchId }) => launchId),
    )
    return (await machine.list())
      .filter(({ mark }) => mark && launches.has(mark.launchId))
      .map(({ pid }) => pid)
  }

  /** Everything that was heard and is numbered. */
  get log(): Message[] {
    return this.socket.inbox.all.filter(({ seq }) => seq !== undefined)
  }
}

export async function openPerson(house: House, projectId = house.projectId): Promise<Person> {
  const { url, token } = house.holdfast
  const socket = await openSocket({ port: Number(new URL(url).port), token })
  socket.send({ type: 'session:create', projectId })
  const created = await socket.next()
  expect(created).toMatchObject({ type: 'session:created' })
  const person = new Person(socket, created.sessionId)
  onTestFinished(() => person.send('session:terminate'))
  return person
}
