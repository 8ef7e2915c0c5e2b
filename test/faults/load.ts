/**
 * The load every fault meets: writers side by side, each waiting for its answer before the next,
 * with a mix of the product's use cases: own and shared rows, receipts, the same request twice at
 * once, requests that must be refused.
 */
import { type Answer, type Attempt, keyedEnd, type LoadReport, type LoadUseCase } from './ledger.ts'
import type { Chance } from './random.ts'

/** Sends one attempt; a refusal is thrown with its `code`. */
export type Send = (attempt: Attempt) => Promise<Answer | null>

export interface LoadParts {
  readonly run: string
  readonly chance: Chance
  readonly writers: number
  /** Attempts per writer. */
  readonly each: number
  /** From an earlier run: sent again with the same receipt key, first of all. */
  readonly again: readonly Attempt[]
  readonly send: Send
  readonly report: (report: LoadReport) => void
  /** Asked before each attempt; false ends the work. */
  readonly goOn?: () => boolean
  /** Over HTTP there is no use case that writes first and is refused then. */
  readonly overHttp?: boolean
}

/** After these nobody can know whether the write was done. */
const uncertain = new Set(['store_unavailable', 'shutting_down', 'internal', 'unreachable'])
const withName = new Set<LoadUseCase>([
  'create-project',
  'change-project',
  'create-agent',
  'add-person',
  'refuse-after-writing',
  'fault-after-writing',
])
const words = [
  '設計',
  'naïve',
  '🚀 launch',
  'plain',
  'Ωmega',
  'two words',
  '“quoted”',
  "it's",
  '100%',
  'back\\slash',
]

export async function runLoad(parts: LoadParts): Promise<void> {
  const { report, run } = parts
  await Promise.all(parts.again.map((attempt) => sendOne(parts, attempt)))
  const shared = new Writer(parts, `${run}.s`)
  const project = await shared.createProject(false)
  if (!project) return
  const writers = Array.from(
    { length: parts.writers },
    (_, index) => new Writer(parts, `${run}.${index}`, project),
  )
  const ended = await Promise.allSettled(writers.map((writer) => writer.work(parts.each)))
  for (const one of ended)
    if (one.status === 'rejected') report({ type: 'failed', text: String(one.reason) })
}

class Writer {
  readonly #parts: LoadParts
  readonly #name: string
  readonly #chance: Chance
  readonly #shared: string | undefined
  #projects: string[] = []
  #agents: string[] = []
  #pairs: { projectId: string; agentId: string }[] = []
  readonly #used = new Set<string>()
  #count = 0

  constructor(parts: LoadParts, name: string, shared?: string) {
    this.#parts = parts
    this.#name = name
    this.#chance = parts.chance.fork(name)
    this.#shared = shared
  }

  async work(each: number): Promise<void> {
    while (this.#count < each && (this.#parts.goOn?.() ?? true)) await this.#one()
  }

  async #one(): Promise<void> {
    const dice = this.#chance.below(100)
    if (this.#projects.length === 0 || dice < 18) return void (await this.createProject())
    if (this.#agents.length === 0 || dice < 26) return this.#createAgent()
    if (dice < 48) return this.#changeProject(this.#chance.pick(this.#projects))
    if (dice < 68) return this.#changeProject(this.#shared ?? this.#chance.pick(this.#projects))
    if (dice < 78) return this.#assign()
    if (dice < 82) return this.#unassign()
    if (dice < 86) return this.#deleteProject()
    if (dice < 90) return void (await this.#try('add-person', { role: 'member' }))
    return this.#mustBeRefused()
  }

  async createProject(settings = true): Promise<string | undefined> {
    const chosen = settings ? { settings: { 'restart.max': this.#chance.below(100) } } : {}
    const answer = await this.#try('create-project', { ...this.#folder(3000), ...chosen })
    const id = answer?.['id'] as string | undefined
    if (id) this.#projects.push(id)
    return id
  }

  /** No other project's. Over HTTP it would have to be there. */
  #folder(most: number): { path?: string } {
    return this.#parts.overHttp
      ? {}
      : { path: `/${this.#name}/${this.#count}/${this.#filler(most)}` }
  }

  async #createAgent(): Promise<void> {
    const input = { protocol: 'acp', command: '/bin/agent', args: [this.#filler(2000)] }
    const answer = await this.#try('create-agent', input)
    if (answer) this.#agents.push(answer['id'] as string)
  }

  async #changeProject(projectId: string): Promise<void> {
    const folder = this.#chance.one(0.3) ? this.#folder(3500) : {}
    await this.#try('change-project', { projectId, ...folder })
  }

  async #assign(): Promise<void> {
    const pair = {
      projectId: this.#chance.pick(this.#projects),
      agentId: this.#chance.pick(this.#agents),
    }
    const key = `${pair.projectId} ${pair.agentId}`
    if (this.#used.has(key)) return this.#changeProject(pair.projectId)
    this.#used.add(key)
    if (await this.#try('assign-agent', pair)) this.#pairs.push(pair)
  }

  async #unassign(): Promise<void> {
    const pair = this.#pairs.pop()
    if (!pair) return this.#assign()
    await this.#try('unassign-agent', pair)
  }

  async #deleteProject(): Promise<void> {
    const projectId = this.#projects.pop()
    if (!projectId) return
    this.#pairs = this.#pairs.filter((pair) => pair.projectId !== projectId)
    await this.#try('delete-project', { projectId })
  }

  async #mustBeRefused(): Promise<void> {
    const projectId = this.#chance.pick(this.#projects)
    const settings = { 'restart.max': -1 }
    const direct = !this.#parts.overHttp
    if (direct && this.#chance.one(0.3)) await this.#try('refuse-after-writing', {}, true)
    else if (direct && this.#chance.one(0.2)) await this.#try('fault-after-writing', {}, true)
    else if (this.#chance.one(0.4)) await this.#try('change-project', { projectId, settings }, true)
    else if (this.#chance.one(0.5))
      await this.#try('change-project', { projectId: 'proj_gone' }, true)
    else {
      const id = this.#chance.pick(this.#agents)
      await this.#try('create-agent', { id, protocol: 'mcp' }, true)
    }
  }

  async #try(
    useCase: LoadUseCase,
    input: Record<string, unknown>,
    mustFail = false,
  ): Promise<Answer | null | undefined> {
    const keyed = this.#chance.one(0.5)
    const id = `${this.#name}.${this.#count++}${keyed ? keyedEnd : ''}`
    // A name that begins with the attempt's id is given out once.
    const named = withName.has(useCase) ? { ...input, name: `${id} ${this.#filler(150)}` } : input
    const attempt: Attempt = { id, writer: this.#name, useCase, input: named, keyed, mustFail }
    const twice = keyed && this.#chance.one(0.2)
    if (!twice) return sendOne(this.#parts, attempt)
    const [first, second] = await Promise.all([
      sendOne(this.#parts, attempt),
      sendOne(this.#parts, attempt),
    ])
    const same = JSON.stringify(first) === JSON.stringify(second)
    if (first !== undefined && second !== undefined && !same) {
      this.#parts.report({
        type: 'violation',
        text: `${attempt.id} was sent twice with one key and had two answers`,
      })
    }
    return first ?? second
  }

  #filler(upTo: number): string {
    const length = this.#chance.one(0.2) ? this.#chance.below(upTo) : this.#chance.below(40)
    let text = 'x'
    while (text.length < length) text += ` ${this.#chance.pick(words)}`
    return text.slice(0, upTo).trim().toWellFormed()
  }
}

/** Undefined: not acknowledged. */
async function sendOne(
  { send, report }: LoadParts,
  attempt: Attempt,
): Promise<Answer | null | undefined> {
  report({ type: 'tried', attempt })
  try {
    const answer = await send(attempt)
    report({ type: 'acknowledged', id: attempt.id, answer })
    return answer
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'internal'
    if (code === 'internal' && !attempt.mustFail)
      report({ type: 'failed', text: error instanceof Error ? String(error.stack) : String(error) })
    report({
      type: 'refused',
      id: attempt.id,
      code,
      certain: attempt.mustFail || !uncertain.has(code),
    })
    return undefined
  }
}
