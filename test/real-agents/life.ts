/**
 * One agent in a console of the whole product, as a person meets it: what is said, asked, shown and
 * counted.
 */
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { SandboxMode } from '../../src/domain/agents/isolation.ts'
import { openSocket } from '../support/feed-clients.ts'
import { makeRepository, type TestRepository } from '../support/git-repository.ts'
import {
  clientOf,
  type House,
  type Message,
  openHouse,
  openPerson,
  Person,
} from '../support/person.ts'
import { startHoldfast } from '../support/running-server.ts'
import { machine } from '../support/script-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { entryOf, type InstalledAgent } from './installed.ts'
import type { Used } from './model/dialect.ts'
import { type ScriptedModel, type Sent, startModel } from './model/scripted-model.ts'
import type { Recipe } from './recipes.ts'

/** The key behind the gateway. */
export const plantedKey = 'planted-key-4f1d9c2ab7'

/** On a machine with other things to do. */
const patience = { 'agent.start_timeout_seconds': 180 }

/** How a permission is answered. */
type Answer = 'allow' | 'deny' | 'always'

export interface LivedTurn {
  /** `agent:response`, or what became of the agent instead. */
  readonly end: Message
  /** Permissions that a person was asked for: none that an allowance has answered. */
  readonly asked: Message[]
  readonly questions: Message[]
  /** Each call in its last state. */
  readonly calls: Message[]
  /**
   * What the model counted meanwhile in answers that were written to their end; `turn`: without
   * titles and the like.
   */
  readonly counted: Readonly<Record<'turn' | 'all', Used>>
  /** As the server keeps it. */
  readonly kept: Message
}

export class Life {
  readonly role: string
  readonly house: House
  /** At the last device. */
  person: Person
  readonly model: ScriptedModel
  readonly project: TestRepository
  readonly wireFile: string
  readonly projectId: string
  ready: Message

  constructor(
    given: Pick<Life, 'role' | 'house' | 'person' | 'model' | 'project' | 'wireFile' | 'projectId'>,
  ) {
    this.role = given.role
    this.house = given.house
    this.person = given.person
    this.model = given.model
    this.project = given.project
    this.wireFile = given.wireFile
    this.projectId = given.projectId
  }

  get client(): Client {
    return clientOf(this.house)
  }

  async spawn(load = false): Promise<Message> {
    this.ready = await this.person.spawn(this.role, { agentId: this.role, load })
    return this.ready
  }

  file(path: string): string {
    return join(this.ready.workspace, path)
  }

  /**
   * AP13: the server is killed with a question open, and a second device, which has seen nothing,
   * answers it.
   */
  async answerAfterKill(content: string): Promise<{ question: Message; end: Message }> {
    const before = this.person.log.at(-1)?.seq ?? 0
    const heard = async (type: string, after: number): Promise<Message> => {
      const isIt = (each: Message): boolean =>
        each.type === type && each.role === this.role && each.seq > after
      const { inbox } = this.person.socket
      await inbox.until(() => inbox.all.some(isIt))
      return inbox.all.find(isIt)
    }
    this.person.send('agent:message', { role: this.role, content })
    const question = await heard('question:requested', before)
    await this.house.holdfast.kill()
    const { data, url, token } = this.house.holdfast
    const port = Number(new URL(url).port)
    this.house.holdfast = await startHoldfast({ up: true, data, args: ['--port', String(port)] })
    this.person = new Person(await openSocket({ port, token }), this.person.about.sessionId)
    this.person.send('session:resume', { lastSeq: 0 })
    expect(await heard('question:requested', before)).toMatchObject({
      questionId: question.questionId,
    })
    this.#answer(question)
    return { question, end: await heard('agent:response', question.seq) }
  }

  /**
   * One turn. A question is answered with the first value of each field. `meanwhile` is called at
   * the first word.
   */
  async say(content: string, answer: Answer = 'allow', meanwhile?: () => void): Promise<LivedTurn> {
    const { inbox } = this.person.socket
    const [from, sent] = [inbox.all.length, this.model.sent.length]
    const since = (): Message[] => inbox.all.slice(from).filter(({ role }) => role === this.role)
    const of = (...types: string[]): Message[] => since().filter(({ type }) => types.includes(type))
    this.person.send('agent:message', { role: this.role, content })
    let [settled, hasAnswered] = [0, false]
    await inbox.until(() => {
      for (const request of of('permission:requested', 'question:requested').slice(settled)) {
        settled++
        if (request.type === 'permission:requested') this.#settle(request, answer)
        else this.#answer(request)
      }
      if (
        !hasAnswered &&
        since().some(({ type, update }) => type === 'agent:update' && update.kind === 'text')
      ) {
        hasAnswered = true
        meanwhile?.()
      }
      return of('agent:response', 'agent:failed', 'agent:terminated').length > 0
    })
    const [end] = of('agent:response', 'agent:failed', 'agent:terminated')
    const calls = new Map<string, Message>()
    for (const { update } of of('agent:update'))
      if (update.kind === 'tool') calls.set(update.call.toolCallId, update.call)
    const requests = this.model.sent.slice(sent)
    const counted = { turn: sumOf(requests.filter(({ tools }) => tools > 0)), all: sumOf(requests) }
    const byRule = new Set(
      of('permission:resolved').flatMap((each) =>
        isPolicy(each.decidedBy) ? [each.approvalId] : [],
      ),
    )
    const [kept] = (
      await this.client.get('/api/conversations/{key}/turns', {
        params: this.#key,
        query: { limit: 1 },
      })
    ).items
    return {
      end,
      kept,
      counted,
      asked: of('permission:requested').filter(({ approvalId }) => !byRule.has(approvalId)),
      questions: of('question:requested'),
      calls: [...calls.values()],
    }
  }

  #settle({ approvalId, likeness }: Message, answer: Answer): void {
    const outcome = answer === 'deny' ? 'denied' : 'allowed'
    // Without saying what it would do it can be allowed for once only.
    const always = answer === 'always' && likeness !== null
    this.person.send('permission:answer', { approvalId, outcome, ...(always && { always: {} }) })
  }

  #answer({ questionId, schema }: Message): void {
    this.person.send('question:answer', {
      questionId,
      action: 'accept',
      content: firstValues(schema),
    })
  }

  get #key(): { key: string } {
    return { key: this.ready.conversation }
  }

  /** All that was kept of a call's output. */
  async output(turn: LivedTurn, toolCallId: string): Promise<string> {
    const params = { ...this.#key, turnId: turn.kept.id, toolCallId }
    const { output } = await this.client.get(
      '/api/conversations/{key}/turns/{turnId}/output/{toolCallId}',
      { params },
    )
    return output ?? ''
  }

  /**
   * The processes of the agent, each behind its parent. The first is the one that Holdfast started.
   */
  async processes(): Promise<number[]> {
    const ours = new Set(await this.person.processes())
    const found = (await machine.list()).filter(({ pid }) => ours.has(pid))
    const depth = (pid: number): number => {
      const parent = found.find((each) => each.pid === pid)?.parent ?? 0
      return ours.has(parent) ? 1 + depth(parent) : 0
    }
    return found.map(({ pid }) => pid).sort((a, b) => depth(a) - depth(b))
  }

  async killed(pid: number): Promise<void> {
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => machine.birthOf(pid), { timeout: 10_000 }).toBeUndefined()
  }

  /** Everything that went to and fro, when the agent was recorded. */
  wire(): { to?: Message; from?: Message }[] {
    return readFileSync(this.wireFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  }

  /** Holdfast is stopped on purpose and started; the person comes back at another device. */
  async restarted(): Promise<void> {
    const { data, url, token } = this.house.holdfast
    await this.house.holdfast.stop()
    const port = Number(new URL(url).port)
    this.house.holdfast = await startHoldfast({ up: true, data, args: ['--port', String(port)] })
    const lastSeq = this.person.log.at(-1)?.seq ?? 0
    this.person = new Person(await openSocket({ port, token }), this.person.about.sessionId)
    this.person.send('session:resume', { lastSeq })
    await this.person.agents()
  }

  /** All that is left of its process. */
  async endProcess(): Promise<void> {
    for (const pid of await this.processes()) await this.killed(pid).catch(() => {})
    await this.person.next('agent:failed', this.role)
  }

  async terminate(): Promise<void> {
    this.person.send('session:terminate')
    await this.person.next('session:terminated')
    await expect.poll(() => this.person.processes(), { timeout: 20_000 }).toEqual([])
  }
}

const sumOf = (requests: readonly Sent[]): Used => ({
  input: requests.reduce((sum, { used }) => sum + (used?.input ?? 0), 0),
  output: requests.reduce((sum, { used }) => sum + (used?.output ?? 0), 0),
})

const isPolicy = (by: string): boolean => by.startsWith('policy ')

function firstValues(schema: Message): Message {
  const first = (field: Message): unknown => {
    const of = field.items ?? field
    const value =
      of.enum?.[0] ??
      (of.oneOf ?? of.anyOf)?.[0]?.const ??
      (field.type === 'boolean' ? true : 'an answer')
    return field.type === 'array' ? [value] : value
  }
  const required = new Set<string>(
    schema?.required ?? Object.keys(schema?.properties ?? {}).slice(0, 1),
  )
  const fields = Object.entries(schema?.properties ?? {}).filter(([key]) => required.has(key))
  return Object.fromEntries(fields.map(([key, field]) => [key, first(field)]))
}

/** The recipe without the model and its key, which a gateway tells and adds. */
function behindGateway(recipe: Recipe): Recipe {
  const env = Object.entries(recipe.env).filter(
    ([, value]) => !/MODEL|not-a-key|scripted-1/.test(value),
  )
  return {
    ...recipe,
    env: Object.fromEntries(env),
    files: recipe.filesWithoutModel ?? recipe.files,
    args: [...recipe.args, ...(recipe.argsBehindGateway ?? [])],
  }
}

/**
 * One whose settings are its own files writes them itself when it starts, with the address and the
 * key that it is told then.
 */
function writingItsFiles({ files }: Recipe, program: string, args: readonly string[]) {
  const fill = (text: string): string =>
    text
      .replaceAll('MODEL', '$HOLDFAST_GATEWAY_URL')
      .replaceAll('not-a-key', '$HOLDFAST_GATEWAY_KEY')
  const lines = Object.entries(files).map(([file, content]) => {
    const text = fill(typeof content === 'string' ? content : JSON.stringify(content, null, 2))
    return `mkdir -p "$HOME/${dirname(file)}"\ncat > "$HOME/${file}" <<END\n${text}\nEND\n`
  })
  return { command: '/bin/sh', args: ['-c', `${lines.join('')}exec "$0" "$@"`, program, ...args] }
}

/**
 * The agent is added with its wire recorded, or in a sandbox and behind the gateway, and not yet
 * started.
 */
export async function openLife(
  { name, recipe, program }: InstalledAgent,
  sandbox: SandboxMode = 'off',
): Promise<Life> {
  const model = await startModel()
  onTestFinished(() => model.close())
  const house = await openHouse()
  onTestFinished(house.end)
  const client = clientOf(house)
  const project = makeRepository()
  const { id: projectId } = await client.post('/api/projects', {
    body: { name: 'real', path: project.folder, settings: patience },
  })
  const wireFile = join(process.env['REAL_AGENTS_RECORD'] ?? temporaryFolder(), `${name}.jsonl`)
  const isOpen = sandbox === 'off'
  if (isOpen) rmSync(wireFile, { force: true })
  const home = join(temporaryFolder(), name)
  const { command, args, env } = entryOf(
    program,
    isOpen ? recipe : behindGateway(recipe),
    home,
    model.url,
  )
  const { isUnknown = false } = recipe
  const started = { command, args: [...args] }
  const launched = !isOpen && isUnknown ? writingItsFiles(recipe, program, recipe.args) : started
  const allow = { folders: [dirname(dirname(dirname(program)))], hosts: [] }
  const recorded = { wrapper: [process.execPath, join(import.meta.dirname, 'tee.ts'), wireFile] }
  const gateway = { upstream: model.url, secret: 'MODEL_KEY', model: 'scripted-1' }
  const entry = {
    id: name,
    name,
    protocol: 'acp' as const,
    ...launched,
    env: { ...env },
  }
  const boxed = { sandbox, gateway, ...(isUnknown && { allow }) }
  await client.post('/api/agents', { body: { ...entry, ...(isOpen ? recorded : boxed) } })
  const secret = { params: { projectId, name: gateway.secret }, body: { value: plantedKey } }
  if (!isOpen) await client.put('/api/projects/{projectId}/secrets/{name}', secret)
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: name },
    body: {},
  })
  const person = await openPerson(house, projectId)
  return new Life({ role: name, house, person, model, project, wireFile, projectId })
}
