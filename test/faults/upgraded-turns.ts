/**
 * RE10, CO12: the build before is killed with -9 while its agents answer, one of each kind: prompts
 * of a console (one runs, one waits, one asks a person), a chat, two sessions and a task over ACP,
 * a chat, a session and a task of an agent that pulls. Its coordinator and its agents work on,
 * those of sessions in lanes of their own; today's build opens the folder and takes them over. Then
 * everything has come to its end, is stored once, and was told to an agent once; the old build
 * refuses another form of the database.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../src/client/client.ts'
import { watchEvents } from '../../src/client/event-stream.ts'
import { consoleKey } from '../../src/domain/conversations/key.ts'
import { conversationStream } from '../../src/domain/stream-name.ts'
import { endCoordinator } from '../support/coordinator-process.ts'
import { Device, type Place } from './consoles/device.ts'
import { refuses } from './earlier-builds.ts'
import { eventually, TooLate } from './eventually.ts'
import { addTo, type Findings, newTally, noFindings, type Tally } from './oracle.ts'
import { chance } from './random.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { Talks, talks } from './talks.ts'

export interface UpgradeOptions {
  /** Whose agents work, and what takes them over. */
  readonly before: string
  /** That of `before`: then it refuses the folder afterwards. */
  readonly hasOlderForm: boolean
  readonly build: string
  readonly seed: string
  readonly rounds: number
  /** PostgreSQL: an empty database. SQLite in the folder when left out. */
  readonly newUrl?: () => Promise<string>
}

const demos = {
  actor: { protocol: 'acp', args: ['demo-acp'] },
  talker: { protocol: 'acp', args: ['demo-acp'] },
  worker: { protocol: 'acp', args: ['demo-acp'] },
  puller: { protocol: 'mcp', args: ['demo-mcp', '--stay'] },
  doer: { protocol: 'mcp', args: ['demo-mcp'] },
} as const

const workers = ['worker', 'doer'] as const
const pieces = 6
/** Until the old server is killed: some was said by then, and more is to come. */
const earliestKillMs = 900
const latestKillMs = 2000
/** Agents and their coordinator are alone for some of it. */
const pieceMs = 700

/** What who is slow says, as a whole. */
const said = Array.from({ length: pieces }, (_, index) => `piece ${index + 1}`).join(' ')

/** Turns of each round: prompts in roles, messages in chats, tasks. */
const prompts = ['role-runs.', 'role-waits.', 'role-asks.'] as const
const messages = talks.flatMap(([name]) => [`${name}-runs.`, `${name}-waits.`])
const tasks = workers.map((agentId) => `${agentId}-runs.`)
export const turnsInRound = prompts.length + messages.length + tasks.length

type Builds = Pick<UpgradeOptions, 'before' | 'hasOlderForm' | 'build'>

export async function upgradedTurns({
  seed,
  rounds,
  newUrl,
  ...builds
}: UpgradeOptions): Promise<Tally> {
  const tally = newTally()
  const dice = chance(seed)
  for (let nth = 0; nth < rounds; nth++) {
    const data = await mkdtemp(join(tmpdir(), 'holdfast-upgraded-'))
    const env = {
      XDG_STATE_HOME: join(data, 'state'),
      ...(newUrl && { DATABASE_URL: await newUrl() }),
    }
    const upgrade = new Upgrade(builds, data, env)
    const where = `seed ${seed}, round ${nth}`
    try {
      addTo(
        tally,
        await upgrade.findings(earliestKillMs + dice.below(latestKillMs - earliestKillMs)),
        where,
      )
    } catch (error) {
      if (!(error instanceof TooLate)) throw error
      addTo(tally, { ...noFindings(), lost: [error.message] }, where)
    } finally {
      await upgrade.end()
    }
  }
  return tally
}

class Upgrade {
  readonly #builds: Builds
  readonly #data: string
  readonly #env: Readonly<Record<string, string>>
  readonly #place: Place = { url: '', token: '', userSessionId: '' }
  readonly #device = new Device(this.#place, () => Number.POSITIVE_INFINITY)
  /** What was handed to the agents of chats, by the number of the message. */
  readonly #handed: string[] = []
  #leave = (): void => {}
  #server: ServerProcess | undefined
  #client: Client = createClient({ url: 'http://127.0.0.1:9', token: '' })
  #projectId = ''
  readonly #talks = new Talks(() => this.#client)

  constructor(builds: Builds, data: string, env: Readonly<Record<string, string>>) {
    this.#builds = builds
    this.#data = data
    this.#env = env
  }

  async findings(killedAfterMs: number): Promise<Findings> {
    const { before, hasOlderForm, build } = this.#builds
    await this.#start(before)
    await this.#begin()
    await this.#ask()
    await new Promise((resolve) => setTimeout(resolve, killedAfterMs))
    await this.#kill()
    await this.#start(build)
    this.#answerQuestion()
    await this.#eventually('the end of all turns', () => this.#isOver())
    const findings = await this.#judge()
    await this.#kill()
    if (hasOlderForm) findings.torn.push(...(await refuses(before, this.#data, this.#env)))
    return findings
  }

  async end(): Promise<void> {
    this.#leave()
    this.#device.leave()
    await this.#kill()
    await endCoordinator(this.#data)
    for (const folder of [this.#data, this.#folder])
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  get #folder(): string {
    return `${this.#data}-project`
  }

  async #start(build: string): Promise<void> {
    const port = this.#place.url === '' ? 0 : Number(new URL(this.#place.url).port)
    this.#server = await startServer(build, this.#data, port, this.#env, 'up')
    Object.assign(this.#place, await this.#server.ready)
    this.#client = createClient(this.#place)
  }

  async #kill(): Promise<void> {
    this.#server?.child.kill('SIGKILL')
    await this.#server?.exited
  }

  /** Everybody is there and has answered once, except for who is given a task. */
  async #begin(): Promise<void> {
    await mkdir(this.#folder)
    this.#projectId = (
      await this.#client.post('/api/projects', { body: { name: 'upgraded', path: this.#folder } })
    ).id
    const params = { projectId: this.#projectId }
    for (const [id, { protocol, args }] of Object.entries(demos)) {
      await this.#client.post('/api/agents', {
        body: { id, name: id, protocol, command: 'holdfast', args: [...args] },
      })
      await this.#client.put('/api/projects/{projectId}/agents/{agentId}', {
        params: { ...params, agentId: id },
        body: {},
      })
    }
    this.#place.userSessionId = await this.#device.create(this.#projectId)
    void this.#device.stay()
    for (const role of ['writer', 'asker'])
      this.#device.say({ type: 'agent:spawn', role, agentId: 'actor' })
    await this.#eventually('both roles', () => this.#reported('agent:ready').length === 2)
    await this.#talks.begin(this.#projectId)
    const streams = this.#talks.keys.map(conversationStream)
    const watch = watchEvents(this.#client, {
      streams,
      onEvent: (event) => {
        if (event.type !== 'messages-delivered' || !('data' in event)) return
        const { stream } = event
        this.#handed.push(...event.data.seqs.map((seq) => `${stream} ${seq}`))
      },
      onSnapshot: () => {},
    })
    this.#leave = () => watch.close()
  }

  /** Everybody has something in hand when this is over, and three have something that waits. */
  async #ask(): Promise<void> {
    const slow = `[[slow ${pieces} ${pieceMs}]]`
    const params = { projectId: this.#projectId }
    for (const agentId of workers) {
      const description = `[[write ${agentId}]] ${slow} ${agentId}-runs.`
      const body = { phase: 1, type: 'code', title: 'Work', description, assignedTo: agentId }
      const { id: taskId } = await this.#client.post('/api/projects/{projectId}/tasks', {
        params,
        body,
      })
      const begins = { params: { ...params, taskId }, body: { status: 'in_progress' as const } }
      await this.#client.patch('/api/projects/{projectId}/tasks/{taskId}', begins)
    }
    for (const agentId of workers)
      await eventually(`${agentId} to begin`, () => stat(join(this.#folder, agentId)))
    for (const [name] of talks) await this.#talks.say(name, `${slow} ${name}-runs.`)
    this.#prompt('writer', `${slow} role-runs.`)
    this.#prompt('writer', 'role-waits.')
    this.#prompt('asker', '[[ask]] role-asks.')
    await this.#eventually(
      'the question',
      () => this.#reported('permission:requested').length === 1,
    )
    await this.#eventually('the messages to be in hand', () => this.#handed.length === talks.length)
    for (const [name] of talks) await this.#talks.say(name, `${name}-waits.`)
  }

  #prompt(role: string, content: string): void {
    this.#device.say({ type: 'agent:message', role, content, requestId: content })
  }

  #answerQuestion(): void {
    const [asked] = this.#reported('permission:requested')
    this.#device.say({
      type: 'permission:answer',
      approvalId: asked?.approvalId,
      outcome: 'allowed',
    })
  }

  async #isOver(): Promise<boolean> {
    const turns = await this.#turns()
    const isOpen = turns.some(({ state }) => state === 'queued' || state === 'running')
    if (isOpen || this.#reported('agent:response').length < prompts.length) return false
    if (
      (await this.#tasks('completed')).length + (await this.#tasks('failed')).length <
      workers.length
    )
      return false
    const last = await Promise.all(
      talks.map(([name]) => this.#talks.answers(name, `${name}-waits.`)),
    )
    return last.every((found) => found.length > 0) || turns.some(({ state }) => state === 'unknown')
  }

  async #judge(): Promise<Findings> {
    const findings = noFindings()
    const once = (what: string, found: readonly unknown[]): void => {
      if (found.length === 0) findings.lost.push(what)
      if (found.length > 1) findings.doubled.push(`${what}: ${found.length} times`)
    }
    const whole = (word: string, text: string): void => {
      if (word.endsWith('-runs.') && !text.includes(said))
        findings.torn.push(`the answer to ${word} is ${JSON.stringify(text)}`)
    }
    const kept = await this.#messagesOfRoles()
    for (const word of prompts) {
      const responses = this.#reported('agent:response').filter(({ content }) =>
        content.endsWith(word),
      )
      once(`the response to ${word}`, responses)
      for (const role of ['user', 'assistant'])
        once(
          `${word} stored as the message of the ${role}`,
          kept.filter((message) => message.role === role && message.content.endsWith(word)),
        )
      for (const { content } of responses) whole(word, content)
    }
    for (const [name] of talks)
      for (const word of [`${name}-runs.`, `${name}-waits.`]) {
        const found = await this.#talks.answers(name, word)
        once(`the answer to ${word}`, found)
        for (const content of found) whole(word, content)
      }
    for (const which of this.#handed)
      once(
        `the message ${which} handed over`,
        this.#handed.filter((one) => one === which),
      )
    for (const task of await this.#tasks('failed'))
      findings.torn.push(`the task of ${task.assignedTo} failed: ${JSON.stringify(task.result)}`)
    for (const { assignedTo, result } of await this.#tasks('completed'))
      whole(`${assignedTo}-runs.`, JSON.stringify(result))
    for (const key of await this.#openToOthers())
      findings.torn.push(`${key} can be read by somebody else`)
    const asked = await this.#askedInTalks()
    const inTalks = talks
      .filter(([, agentId]) => agentId === 'talker')
      .flatMap(([name]) => [`${name}-runs.`, `${name}-waits.`])
    for (const word of [...prompts, ...inTalks, 'worker-runs.'])
      once(
        `${word} told to an agent`,
        asked.filter((text) =>
          word === 'worker-runs.' ? text.includes(word) : text.endsWith(word),
        ),
      )
    const { items } = await this.#client.get('/api/processes', {
      query: { projectId: this.#projectId, limit: 100 },
    })
    once(
      'the process of a task that is pulled',
      items.filter(({ agentId }) => agentId === 'doer'),
    )
    for (const { state, agentId, about } of await this.#turns())
      if (state !== 'answered')
        findings.torn.push(
          `a turn of ${agentId} (${about}) is ${state}, though its process was never gone`,
        )
    return findings
  }

  #reported(type: string) {
    return this.#device.log.filter((event) => event.type === type)
  }

  #eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<true> {
    return eventually(what, async () => ((await holds()) ? true : undefined))
  }

  async #tasks(status: 'in_progress' | 'completed' | 'failed') {
    const params = { projectId: this.#projectId }
    return (
      await this.#client.get('/api/projects/{projectId}/tasks', { params, query: { status } })
    ).items
  }

  /** Turns of all conversations, for any agent. */
  async #turns() {
    const { items: conversations } = await this.#client.get('/api/conversations', {
      query: { limit: 100 },
    })
    const lists = conversations.map(({ key }) =>
      this.#client.get('/api/conversations/{key}/turns', {
        params: { key },
        query: { limit: 100 },
      }),
    )
    return (await Promise.all(lists)).flatMap(({ items }) => items)
  }

  async #messagesOfRoles() {
    const lists = this.#keysOfRoles.map((key) =>
      this.#client.get('/api/conversations/{key}/messages', {
        params: { key },
        query: { limit: 100 },
      }),
    )
    return (await Promise.all(lists)).flatMap(({ items }) => items)
  }

  get #keysOfRoles(): string[] {
    return ['writer', 'asker'].map((role) => consoleKey(this.#place.userSessionId, role))
  }

  /** CX8: which of the console's conversations somebody else can read. */
  async #openToOthers(): Promise<string[]> {
    const { token } = await this.#client.post('/api/people', {
      body: { name: 'Bo', role: 'member' },
    })
    const { items } = await createClient({ ...this.#place, token }).get('/api/conversations', {
      query: { limit: 100 },
    })
    return items.map(({ key }) => key).filter((key) => this.#keysOfRoles.includes(key))
  }

  /** What the agents over ACP have kept of what they were told. */
  async #askedInTalks(): Promise<string[]> {
    const folder = join(this.#data, 'state', 'holdfast', 'demo-agent')
    const talks = (await readdir(folder)).map(
      async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as { asked: string }[],
    )
    return (await Promise.all(talks)).flat().map(({ asked }) => asked.trim())
  }
}
