/**
 * `holdfast agents doctor`: probes an agent through the product as a person would use it (AG13). In a project made for it and
 * removed afterwards: starts the agent, prompts it, allows and denies what it asks for, cancels it, ends it and brings it back.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../../client/client.ts'
import { openRelay, type Relay } from '../../client/relay.ts'
import type { RelayEvent } from '../../client/relay-messages.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import type { AgentCheck, AgentReport } from '../../protocol/agents/report.ts'
import type { ToolCall } from '../../protocol/turns/agent-update.ts'
import type { CommandContext } from '../context.ts'
import { failed, usage } from '../failure.ts'
import { findAgent } from '../find-by-name.ts'

/** Starting may include a wait for the next minute, for agents that load once a minute. */
const startMs = 180_000
const turnMs = 120_000
const cancelMs = 20_000
const endMs = 30_000
const role = 'doctor'

const word = 'holdfast-doctor'
/** Directives in brackets are for the demo agent and for scripted models; others read the sentence. */
const prompts = {
  hello: 'Reply with one short sentence. Use no tool.',
  run: `Run this command in your shell once, and tell me what it prints: echo ${word} [[run echo ${word}]]`,
  write: (folder: string) =>
    `Create the file ${word}.txt with the word ready in it. If that is not allowed, do nothing else. [[ask Write a file]] [[write ${join(folder, `${word}.txt`)} ready]]`,
  tool: 'Call the tool get_history of the MCP server holdfast once, without arguments. [[tool get_history {}]]',
  count: 'Count from 1 to 500 in words, one on each line, without any tool. [[slow 400 50]]',
}

interface Turn {
  readonly text: string
  readonly stopReason: string
  readonly error: string | null
  readonly calls: readonly ToolCall[]
  readonly asked: number
  readonly messageId: string
}

type Of<Type> = Extract<RelayEvent, { type: Type }>

/** Notes the result of each check, and tells it as it comes. */
class Checks {
  readonly list: AgentCheck[] = []
  readonly #tell: (check: AgentCheck) => void

  constructor(tell: (check: AgentCheck) => void) {
    this.#tell = tell
  }

  add(name: AgentCheck['name'], ok: boolean, detail: string): void {
    const check = { name, ok, detail: detail.slice(0, 500) }
    this.list.push(check)
    this.#tell(check)
  }

  /** A check that throws has failed. */
  async run(name: AgentCheck['name'], check: () => Promise<readonly [boolean, string]>): Promise<boolean> {
    const [ok, detail] = await check().catch((error: unknown) => [false, messageOf(error)] as const)
    this.add(name, ok, detail)
    return ok
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export async function doctorAgents(context: CommandContext): Promise<void> {
  const typed = context.optionalOperand(0)
  const prompt = context.text('prompt')
  const agents: Agent[] = []
  if (typed !== undefined) agents.push(await findAgent(context.client, typed))
  else for await (const each of context.client.pages('/api/agents')) if (isPrompted(each)) agents.push(each)
  const [first] = agents
  if (first && !isPrompted(first))
    throw usage(`${first.id} is not prompted by Holdfast.`, 'Only agents with the protocol acp and a command can be tried out.')
  const reports: AgentReport[] = []
  for (const agent of agents) {
    context.note(`Trying out ${agent.id} …`)
    const report = await probeAgent(context, agent, prompt)
    await context.client.patch('/api/agents/{agentId}', { params: { agentId: agent.id }, body: { report } })
    reports.push(report)
  }
  context.answer(typed === undefined ? { items: reports } : reports[0], () => reports.map(summaryOf).join('\n\n'))
  const notStarted = reports.filter(({ checks }) => !checks.some(({ name, ok }) => name === 'start' && ok))
  if (notStarted.length > 0)
    throw failed(
      `${notStarted.map(({ agent }) => agent).join(', ')} could not be started.`,
      'What it said is in the report; `holdfast processes` shows the last lines it wrote.',
      'not_started',
    )
}

const isPrompted = ({ protocol, command }: Agent): boolean => protocol === 'acp' && command !== null

/** The single results were told as they came. */
const summaryOf = ({ agent, version, checks }: AgentReport): string => {
  const missing = checks.flatMap(({ name, ok }) => (ok ? [] : [name]))
  return `${[agent, version].filter(Boolean).join(' ')}: ${missing.length === 0 ? 'can do everything' : `cannot do: ${missing.join(', ')}`}`
}

async function probeAgent(context: CommandContext, agent: Agent, prompt: string | undefined): Promise<AgentReport> {
  const tell = ({ name, ok, detail }: AgentCheck): void => context.note(`${ok ? '✓' : '✗'} ${name}: ${detail}`)
  const checks = new Checks(tell)
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-doctor-'))
  const relay = openRelay(await context.connection())
  const probe = new Probe(context.client, relay, agent, checks)
  try {
    return await probe.run(folder, prompt)
  } finally {
    relay.close()
    await rm(folder, { recursive: true, force: true })
  }
}

class Probe {
  readonly #client: Client
  readonly #relay: Relay
  readonly #agent: Agent
  readonly #checks: Checks
  readonly #events: RelayEvent[] = []
  #waiting: (() => void)[] = []
  #answer: 'allowed' | 'denied' = 'allowed'
  #about = { sessionId: '', role }

  constructor(client: Client, relay: Relay, agent: Agent, checks: Checks) {
    this.#client = client
    this.#relay = relay
    this.#agent = agent
    this.#checks = checks
  }

  async run(folder: string, prompt: string | undefined): Promise<AgentReport> {
    const project = await this.#makeProject(folder)
    const params = { projectId: project.id, agentId: this.#agent.id }
    await this.#client.put('/api/projects/{projectId}/agents/{agentId}', { params, body: {} })
    const userSessionId = await this.#relay.create(project.id)
    this.#about = { sessionId: userSessionId, role }
    const unfollow = this.#relay.follow({
      userSessionId,
      lastSeq: 0,
      onEvent: (event) => this.#take(event),
      onSnapshot: () => {},
    })
    try {
      return await this.#probe(project.id, prompt)
    } finally {
      await this.#relay.request({ type: 'session:terminate', sessionId: userSessionId }).catch(() => {})
      unfollow()
      await this.#client.delete('/api/projects/{projectId}', { params: { projectId: project.id } }).catch(() => {})
    }
  }

  /** With a folder where the server is on this machine: agents bring a session back in the folder it was opened in. */
  async #makeProject(path: string): Promise<{ id: string }> {
    const name = `agents doctor ${this.#agent.id} ${path.slice(-6)}`
    return this.#client
      .post('/api/projects', { body: { name, path } })
      .catch(() => this.#client.post('/api/projects', { body: { name } }))
  }

  async #probe(projectId: string, prompt: string | undefined): Promise<AgentReport> {
    const checks = this.#checks
    const can: AgentReport['can'] = {}
    const begun = Date.now()
    const ready = await this.#start(false).catch((error: unknown) => messageOf(error))
    if (typeof ready === 'string') {
      checks.add('start', false, ready)
      return this.#report(can, null)
    }
    checks.add('start', true, `ready after ${Date.now() - begun} ms`)
    const abilities = ready.can
    const ways = abilities?.signIn ?? []
    checks.add('sign_in', true, ways.length > 0 ? `signed in; it offers: ${ways.join(', ')}` : 'no sign-in is needed')
    Object.assign(can, { ...abilities, start: true })
    const hello = await checks.run('prompt', async () => {
      const { text, error, stopReason } = await this.#turn(prompts.hello)
      const detail = error ?? (text.trim().slice(0, 200) || `no text; it ended with ${stopReason}`)
      return [error === null && text.trim() !== '', detail]
    })
    can['prompt'] = hello
    if (hello) await this.#probeTurns(ready.workspace, prompt, can)
    for (const name of ['list', 'fork'] as const)
      checks.add(name, abilities?.[name] === true, abilities?.[name] ? 'offered' : 'not offered')
    can['restore'] = await checks.run('load', () => this.#restore(hello))
    can['end'] = await checks.run('end', () => this.#end(projectId))
    if (hello) for (const mode of ['workplace', 'strict'] as const) await this.#probeSandbox(projectId, mode, can)
    return this.#report(can, ready.agentVersion ?? null)
  }

  async #probeTurns(workspace: string, prompt: string | undefined, can: AgentReport['can']): Promise<void> {
    const checks = this.#checks
    let run: Turn | undefined
    let wrote: Turn | undefined
    can['output'] = await checks.run('output', async () => {
      run = await this.#turn(prompt ?? prompts.run)
      const shown = run.calls.findLast(({ output }) => output !== undefined && output !== '')
      if (run.calls.length === 0) return [false, `it called no tool: ${run.error ?? run.text.trim().slice(0, 200)}`]
      const exit = shown?.exitCode === undefined ? 'no exit status' : `exit status ${shown.exitCode}`
      return shown ? [true, `${shown.output?.trim().slice(0, 100)} (${exit})`] : [false, 'it ran a tool and sent no output of it']
    })
    can['ran'] = (run?.calls.length ?? 0) > 0
    can['exitCode'] = run?.calls.some(({ exitCode }) => exitCode !== undefined) ?? false
    can['permission'] = await checks.run('permission', async () => {
      this.#answer = 'denied'
      wrote = await this.#turn(prompts.write(workspace)).finally(() => {
        this.#answer = 'allowed'
      })
      const asked = (run?.asked ?? 0) + wrote.asked
      if (asked > 0) return [true, `asked ${asked} times, and took no for an answer`]
      const tools = (run?.calls.length ?? 0) + wrote.calls.length
      if (tools > 0) can['asks'] = false
      return [false, tools > 0 ? 'it never asks for permission' : 'it called no tool, so it had nothing to ask for']
    })
    can['tool'] = await checks.run('tool', async () => {
      const { calls, text } = await this.#turn(prompts.tool)
      const call = calls.find(({ title, input }) => `${title} ${input}`.includes('get_history'))
      if (!call) return [false, `it did not call our MCP tool: ${text.trim().slice(0, 200)}`]
      return [call.status === 'completed', `${call.title}: ${call.status}`]
    })
    can['usage'] = await checks.run('usage', () => this.#usage())
    can['cancel'] = await checks.run('cancel', () => this.#cancel())
  }

  async #usage(): Promise<readonly [boolean, string]> {
    const { conversation } = this.#last('agent:ready') ?? {}
    const params = { key: conversation ?? '' }
    const { items } = await this.#client.get('/api/conversations/{key}/turns', { params, query: { limit: 20 } })
    const usage = items.find((turn) => turn.usage !== null)?.usage
    const { inputTokens = null, outputTokens = null } = usage ?? {}
    if (inputTokens === null && outputTokens === null) return [false, 'it reports no tokens of a turn']
    return [true, `${inputTokens} in, ${outputTokens} out in the last turn`]
  }

  async #cancel(): Promise<readonly [boolean, string]> {
    const seen = this.#events.length
    let at = 0
    const turn = this.#turn(prompts.count)
    await this.#until((events) => events.slice(seen).some(isFirstWord), turnMs)
    if (!this.#events.slice(seen).some(({ type }) => type === 'agent:response')) {
      at = Date.now()
      await this.#relay.request({ type: 'agent:cancel', ...this.#about })
    }
    const { stopReason, error } = await turn
    if (at === 0) return [false, 'it answered before it could be cancelled']
    const ms = Date.now() - at
    if (stopReason !== 'cancelled' || ms > cancelMs) return [false, error ?? `it ended with ${stopReason} after ${ms} ms`]
    const next = await this.#turn(prompts.hello)
    return next.error === null
      ? [true, `after ${ms} ms, and it goes on`]
      : [false, `after ${ms} ms; the next prompt failed: ${next.error}`]
  }

  async #restore(hasAnswered: boolean): Promise<readonly [boolean, string]> {
    await this.#terminate()
    const { how, notRestored } = await this.#start(true)
    if (how === 'new') return [false, notRestored ?? 'it began anew']
    if (!hasAnswered) return [true, how]
    const { error } = await this.#turn(prompts.hello)
    return error === null ? [true, `${how}, and it goes on`] : [false, `${how}; the next prompt failed: ${error}`]
  }

  async #end(projectId: string): Promise<readonly [boolean, string]> {
    await this.#terminate()
    const query = { projectId, limit: 50 }
    const { items } = await this.#client.get('/api/processes', { query })
    const left = items.filter(({ state }) => state !== 'ended')
    return left.length === 0 ? [true, `${items.length} processes, none is left`] : [false, `${left.length} processes did not end`]
  }

  /** Nothing is said of a machine that has no sandbox. */
  async #probeSandbox(projectId: string, mode: 'workplace' | 'strict', can: AgentReport['can']): Promise<void> {
    const params = { projectId, agentId: this.#agent.id }
    await this.#client.put('/api/projects/{projectId}/agents/{agentId}', { params, body: { sandbox: mode } })
    const works = async (): Promise<readonly [boolean, string]> => {
      const { text, calls, error } = await this.#start(false).then(() => this.#turn(prompts.run))
      const ran = calls.some(({ status, output = '' }) => status === 'completed' && (output === '' || output.includes(word)))
      // One that runs nothing outside runs nothing inside.
      const isFine = error === null && (ran || can['ran'] === false)
      const quiet = `it starts and ran no command, ${isFine ? 'as outside' : text.trim().slice(0, 200)}`
      return [isFine, error ?? (ran ? 'it starts, answers and runs a command' : quiet)]
    }
    const [ok, detail] = await works().catch((error: unknown) => [false, messageOf(error)] as const)
    await this.#terminate().catch(() => {})
    if (this.#last('agent:failed')?.notice?.code === 'noSandbox') return
    can[mode] = ok
    this.#checks.add(mode, ok, detail)
  }

  async #terminate(): Promise<void> {
    const seen = this.#events.length
    await this.#relay.request({ type: 'agent:terminate', ...this.#about }).catch(() => {})
    await this.#until((events) => events.slice(seen).some(({ type }) => type === 'agent:terminated'), endMs)
  }

  async #start(load: boolean): Promise<Of<'agent:ready'>> {
    const seen = this.#events.length
    await this.#relay.request({ type: 'agent:spawn', ...this.#about, agentId: this.#agent.id, load })
    const isOver = ({ type }: RelayEvent) => type === 'agent:ready' || type === 'agent:failed' || type === 'agent:terminated'
    await this.#until((events) => events.slice(seen).some(isOver), startMs)
    const event = this.#events.slice(seen).find(isOver)
    if (event?.type === 'agent:ready') return event
    throw new Error(event?.type === 'agent:failed' ? `${event.step}: ${event.error}` : 'it was ended')
  }

  async #turn(content: string): Promise<Turn> {
    const seen = this.#events.length
    await this.#relay.request({ type: 'agent:message', ...this.#about, content })
    const isOver = ({ type }: RelayEvent) => type === 'agent:response' || type === 'agent:failed'
    await this.#until((events) => events.slice(seen).some(isOver), turnMs)
    const events = this.#events.slice(seen)
    const end = events.find(isOver)
    if (end?.type !== 'agent:response') throw new Error(end?.type === 'agent:failed' ? end.error : 'its process ended')
    const calls = new Map<string, ToolCall>()
    for (const event of events)
      if (event.type === 'agent:update' && event.update.kind === 'tool')
        calls.set(event.update.call.toolCallId, event.update.call)
    const asked = events.filter(({ type }) => type === 'permission:requested').length
    const { content: text, stopReason, error, messageId } = end
    return { text, stopReason, error, calls: [...calls.values()], asked, messageId }
  }

  #take(event: RelayEvent): void {
    this.#events.push(event)
    if (event.type === 'permission:requested') {
      const { approvalId, options } = event
      const canAllow = options.some(({ kind }) => kind === 'allow_once')
      const outcome = canAllow ? this.#answer : 'denied'
      const { sessionId: userSessionId } = this.#about
      this.#relay.request({ type: 'permission:answer', sessionId: userSessionId, approvalId, outcome }).catch(() => {})
    }
    for (const wake of this.#waiting.splice(0)) wake()
  }

  async #until(isDone: (events: readonly RelayEvent[]) => boolean, ms: number): Promise<void> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms / 1000} s`)), ms)
    try {
      while (!isDone(this.#events))
        await Promise.race([new Promise<void>((resolve) => this.#waiting.push(resolve)), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  #last<Type extends RelayEvent['type']>(type: Type): Of<Type> | undefined {
    return this.#events.findLast((event): event is Of<Type> => event.type === type)
  }

  #report(can: AgentReport['can'], version: string | null): AgentReport {
    return { agent: this.#agent.id, version, checks: this.#checks.list, can }
  }
}

const isFirstWord = (event: RelayEvent): boolean =>
  event.type === 'agent:response' ||
  event.type === 'agent:failed' ||
  (event.type === 'agent:update' && (event.update.kind === 'text' || event.update.kind === 'thought'))
