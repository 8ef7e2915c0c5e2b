/**
 * Tries out one agent in a project made for it: each ability in turn, and what came of it (AG13).
 */
import { join } from 'node:path'
import type { Client } from '../../client/client.ts'
import { pause, systemClock } from '../../platform/time/clock.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import { agentAnswering } from '../../protocol/agents/known-agents.ts'
import type { AgentCheck, AgentReport } from '../../protocol/agents/report.ts'
import { probeConversations } from './conversations-probe.ts'
import { isFirstWord, type ProbedConsole, type Turn, turnMs } from './probed-console.ts'

const cancelMs = 20_000
const lookMs = 250

const word = 'holdfast-doctor'
/**
 * Directives in brackets are for the demo agent and for scripted models; others read the sentence.
 */
const prompts = {
  hello: 'Reply with one short sentence. Use no tool.',
  run: `Run this command in your shell once, and tell me what it prints: echo ${word} [[run echo ${word}]]`,
  write: (folder: string) =>
    `Create the file ${word}.txt with the word ready in it. If that is not allowed, do nothing else. [[ask Write a file]] [[write ${join(folder, `${word}.txt`)} ready]]`,
  tool: 'Call the tool get_history of the MCP server holdfast once, without arguments. [[tool get_history {}]]',
  count: 'Count from 1 to 500 in words, one on each line, without any tool. [[slow 400 50]]',
}

type Result = readonly [ok: boolean, detail: string]

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

interface ProbeOptions {
  readonly client: Client
  readonly agent: Agent
  readonly projectId: string
  readonly room: ProbedConsole
  readonly tell: (check: AgentCheck) => void
}

export class Probe {
  readonly #options: ProbeOptions
  readonly #can: AgentReport['can'] = {}
  readonly #checks: AgentCheck[] = []

  constructor(options: ProbeOptions) {
    this.#options = options
  }

  async run(prompt: string | undefined): Promise<AgentReport> {
    const { room } = this.#options
    const begun = Date.now()
    const ready = await room.start(false).catch((error: unknown) => messageOf(error))
    if (typeof ready === 'string') {
      this.#note('start', false, ready)
      return this.#report(null)
    }
    const { agentName, agentVersion = null } = ready
    // What has no name is called so.
    const agentInfo =
      agentName && agentName !== 'agent' ? { name: agentName, version: agentVersion } : null
    const knownAgent = agentInfo && agentAnswering(agentInfo.name)
    this.#note(
      'start',
      true,
      `ready after ${Date.now() - begun} ms${knownAgent ? `; known as ${knownAgent.name}` : ''}`,
    )
    const abilities = ready.can
    const ways = abilities?.signIn ?? []
    this.#note(
      'sign_in',
      true,
      ways.length > 0 ? `signed in; it offers: ${ways.join(', ')}` : 'no sign-in is needed',
    )
    Object.assign(this.#can, abilities)
    const hello = await this.#check('prompt', async () => {
      const { text, error, stopReason } = await room.turn(prompts.hello)
      const detail = error ?? (text.trim().slice(0, 200) || `no text; it ended with ${stopReason}`)
      return [error === null && text.trim() !== '', detail]
    })
    if (hello) await this.#probeTurns(ready.workspace, prompt)
    const offered = (name: 'list' | 'fork', probe: () => Promise<Result>): Promise<boolean> =>
      this.#check(name, async () => (abilities?.[name] ? probe() : [false, 'not offered']))
    await offered('list', () => this.#list(ready.workspace))
    this.#can['restore'] = await this.#check('load', () => this.#restore(hello))
    await this.#check('end', () => this.#end())
    await offered('fork', () => this.#fork(ready.conversation))
    if (hello) await this.#check('apart', () => this.#apart())
    if (hello) for (const mode of ['workplace', 'strict'] as const) await this.#probeSandbox(mode)
    await this.#check('known', () => this.#known())
    return { ...this.#report(agentVersion), ...(agentInfo && { agentInfo }) }
  }

  #report(version: string | null): AgentReport {
    return { agent: this.#options.agent.id, version, checks: this.#checks, can: this.#can }
  }

  /** Keeps a result, and tells it as it comes. */
  #note(name: AgentCheck['name'], ok: boolean, detail: string): boolean {
    const check = { name, ok, detail: detail.slice(0, 500) }
    this.#checks.push(check)
    this.#can[name] = ok
    this.#options.tell(check)
    return ok
  }

  /** A check that throws has failed. */
  async #check(name: AgentCheck['name'], check: () => Promise<Result>): Promise<boolean> {
    const [ok, detail] = await check().catch((error: unknown) => [false, messageOf(error)] as const)
    return this.#note(name, ok, detail)
  }

  async #probeTurns(workspace: string, prompt: string | undefined): Promise<void> {
    const { room } = this.#options
    const can = this.#can
    let run: Turn | undefined
    let wrote: Turn | undefined
    await this.#check('output', async () => {
      run = await room.turn(prompt ?? prompts.run)
      const shown = run.calls.findLast(({ output }) => output !== undefined && output !== '')
      if (run.calls.length === 0)
        return [false, `it called no tool: ${run.error ?? run.text.trim().slice(0, 200)}`]
      const exit =
        shown?.exitCode === undefined ? 'no exit status' : `exit status ${shown.exitCode}`
      return shown
        ? [true, `${shown.output?.trim().slice(0, 100)} (${exit})`]
        : [false, 'it ran a tool and sent no output of it']
    })
    can['ran'] = (run?.calls.length ?? 0) > 0
    can['exitCode'] = run?.calls.some(({ exitCode }) => exitCode !== undefined) ?? false
    await this.#check('permission', async () => {
      room.answer = 'denied'
      wrote = await room.turn(prompts.write(workspace)).finally(() => {
        room.answer = 'allowed'
      })
      const askedCount = (run?.asked ?? 0) + wrote.asked
      if (askedCount > 0) return [true, `asked ${askedCount} times, and took no for an answer`]
      const tools = (run?.calls.length ?? 0) + wrote.calls.length
      if (tools > 0) can['asks'] = false
      return [
        false,
        tools > 0
          ? 'it never asks for permission'
          : 'it called no tool, so it had nothing to ask for',
      ]
    })
    await this.#check('tool', async () => {
      const { calls, text } = await room.turn(prompts.tool)
      const call = calls.find(({ title, input }) => `${title} ${input}`.includes('get_history'))
      if (!call) return [false, `it did not call our MCP tool: ${text.trim().slice(0, 200)}`]
      return [call.status === 'completed', `${call.title}: ${call.status}`]
    })
    await this.#check('usage', () => this.#usage())
    await this.#check('cancel', () => this.#cancel())
  }

  async #usage(): Promise<Result> {
    const { client, room } = this.#options
    const { conversation } = room.last('agent:ready') ?? {}
    const params = { key: conversation ?? '' }
    const { items } = await client.get('/api/conversations/{key}/turns', {
      params,
      query: { limit: 20 },
    })
    const usage = items.find((turn) => turn.usage !== null)?.usage
    const { inputTokens = null, outputTokens = null } = usage ?? {}
    if (inputTokens === null && outputTokens === null)
      return [false, 'it reports no tokens of a turn']
    return [true, `${inputTokens} in, ${outputTokens} out in the last turn`]
  }

  async #cancel(): Promise<Result> {
    const { room } = this.#options
    const seen = room.events.length
    let at = 0
    const turn = room.turn(prompts.count)
    await room.until((events) => events.slice(seen).some(isFirstWord), turnMs)
    if (!room.events.slice(seen).some(({ type }) => type === 'agent:response')) {
      at = Date.now()
      await room.cancel()
    }
    const { stopReason, error } = await turn
    if (at === 0) return [false, 'it answered before it could be cancelled']
    const ms = Date.now() - at
    if (stopReason !== 'cancelled' || ms > cancelMs)
      return [false, error ?? `it ended with ${stopReason} after ${ms} ms`]
    const next = await room.turn(prompts.hello)
    return next.error === null
      ? [true, `after ${ms} ms, and it goes on`]
      : [false, `after ${ms} ms; the next prompt failed: ${next.error}`]
  }

  async #restore(hasAnswered: boolean): Promise<Result> {
    const { room } = this.#options
    await room.terminate()
    const { how, notRestored } = await room.start(true)
    if (how === 'new') return [false, notRestored ?? 'it began anew']
    if (!hasAnswered) return [true, how]
    const { error } = await room.turn(prompts.hello)
    return error === null
      ? [true, `${how}, and it goes on`]
      : [false, `${how}; the next prompt failed: ${error}`]
  }

  async #list(workspace: string): Promise<Result> {
    const { client, agent } = this.#options
    const { acpSessions } = await client.post('/api/agents/{agentId}/inspect', {
      params: { agentId: agent.id },
      query: { folder: workspace },
    })
    if (acpSessions === null) return [false, 'it offers to, and refuses']
    const own = acpSessions.filter(({ folder }) => folder === workspace).length
    return [own > 0, `${acpSessions.length} in a process of its own, ${own} of this workplace`]
  }

  /**
   * The agent's own fork at the end of the conversation; one that begins anew is told what was said
   * instead.
   */
  async #fork(key: string): Promise<Result> {
    const { client } = this.#options
    const { items } = await client.get('/api/conversations/{key}/turns', {
      params: { key },
      query: { limit: 1 },
    })
    const params = { key, turnId: items[0]?.id ?? '' }
    const { conversation } = await client.post('/api/conversations/{key}/turns/{turnId}/fork', {
      params,
      body: {},
    })
    const about = { params: { key: conversation } }
    await client.post('/api/conversations/{key}/messages', {
      ...about,
      body: { role: 'user', content: prompts.hello },
    })
    const turn = await this.#look(async () => {
      const [last] = (
        await client.get('/api/conversations/{key}/turns', { ...about, query: { limit: 1 } })
      ).items
      return last?.endedAt ? last : undefined
    })
    const [context] = (await client.get('/api/conversations/{key}/context', about)).contexts
    await this.#stopAll()
    if (turn.state !== 'answered') return [false, turn.error ?? `its turn is ${turn.state}`]
    return context?.how === 'resumed'
      ? [true, 'a fork of its own session answers']
      : [false, 'its fork began anew']
  }

  /** May hold several while that is tried, also where it was found to mix them before. */
  async #apart(): Promise<Result> {
    const { client, agent, projectId } = this.#options
    const before = agent.mixesConversations ? agent.report : null
    const keep = async (can: AgentReport['can']): Promise<void> => {
      const params = { agentId: agent.id }
      if (before)
        await client.patch('/api/agents/{agentId}', {
          params,
          body: { report: { ...before, can } },
        })
    }
    // Kept where the probe fails: only evidence changes it.
    if (before) this.#can['mixes'] = true
    await keep({ ...before?.can, mixes: false })
    try {
      const look = this.#look.bind(this)
      const found = await probeConversations({ client, projectId, agentId: agent.id, look })
      this.#can['mixes'] = !found.isApart
      return [found.isApart, found.detail]
    } finally {
      await keep({ ...before?.can })
      await this.#stopAll()
    }
  }

  async #end(): Promise<Result> {
    await this.#options.room.terminate()
    const processes = await this.#processes()
    const left = processes.filter(({ state }) => state !== 'ended')
    return left.length === 0
      ? [true, `${processes.length} processes, none is left`]
      : [false, `${left.length} processes did not end`]
  }

  async #stopAll(): Promise<void> {
    for (const { launchId, state } of await this.#processes())
      if (state !== 'ended')
        await this.#options.client
          .post('/api/processes/{launchId}/stop', { params: { launchId } })
          .catch(() => {})
    await this.#look(
      async () => (await this.#processes()).every(({ state }) => state === 'ended') || undefined,
    )
  }

  async #processes() {
    const { client, projectId } = this.#options
    return (await client.get('/api/processes', { query: { projectId, limit: 50 } })).items
  }

  async #look<Found>(find: () => Promise<Found | undefined>): Promise<Found> {
    for (const until = Date.now() + turnMs; Date.now() < until; await pause(systemClock, lookMs)) {
      const found = await find()
      if (found !== undefined) return found
    }
    throw new Error(`no answer within ${turnMs / 1000} s`)
  }

  /** AC10: what it sent in all its processes that Holdfast has no form for. */
  async #known(): Promise<Result> {
    const names = new Set<string>()
    for (const { launchId } of await this.#processes()) {
      const { unknown } = await this.#options.client.get('/api/processes/{launchId}', {
        params: { launchId },
      })
      // Only what is not known has a name.
      for (const { kind, name } of unknown) if (name !== '') names.add(`${kind} ${name}`)
    }
    this.#can['unknown'] = [...names]
    return names.size === 0 ? [true, 'all that it sent is known'] : [false, [...names].join(', ')]
  }

  /** Nothing is said of a machine that has no sandbox. */
  async #probeSandbox(mode: 'workplace' | 'strict'): Promise<void> {
    const { client, agent, projectId, room } = this.#options
    const params = { projectId, agentId: agent.id }
    await client.put('/api/projects/{projectId}/agents/{agentId}', {
      params,
      body: { sandbox: mode },
    })
    const works = async (): Promise<Result> => {
      const { text, calls, error } = await room.start(false).then(() => room.turn(prompts.run))
      const ran = calls.some(
        ({ status, output = '' }) =>
          status === 'completed' && (output === '' || output.includes(word)),
      )
      // One that runs nothing outside runs nothing inside.
      const isFine = error === null && (ran || this.#can['ran'] === false)
      const quiet = `it starts and ran no command, ${isFine ? 'as outside' : text.trim().slice(0, 200)}`
      return [isFine, error ?? (ran ? 'it starts, answers and runs a command' : quiet)]
    }
    const [ok, detail] = await works().catch((error: unknown) => [false, messageOf(error)] as const)
    await room.terminate().catch(() => {})
    if (room.last('agent:failed')?.notice?.code === 'noSandbox') return
    this.#note(mode, ok, detail)
  }
}
