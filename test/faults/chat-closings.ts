/**
 * A turn belongs to nobody's window (CX6, NA5): while an agent answers, its panel is closed,
 * opened, reloaded, written to, and the server or the agent is killed with -9, by chance. Then:
 * every message is answered once; a turn is `unknown` only where its own process was killed, and is
 * told once more; and there were never two processes of an ACP agent at once. (One that pulls may
 * still be there with nothing in hand while the next begins.)
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../src/client/client.ts'
import { folderIdOf } from '../../src/platform/processes/launch-mark.ts'
import { endCoordinator } from '../support/coordinator-process.ts'
import { machine } from '../support/script-process.ts'
import { eventually, TooLate } from './eventually.ts'
import { addTo, type Findings, newTally, noFindings, type Tally } from './oracle.ts'
import { type Chance, chance } from './random.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export interface ClosingOptions {
  readonly build: string
  readonly seed: string
  /** Turns, each with closings and kills in its middle. */
  readonly turns: number
  readonly demo: keyof typeof demos
  /** The agent is never killed: then no turn may be unknown. */
  readonly sparesAgent?: true
}

export interface ClosingResult {
  readonly deeds: Record<Deed, number>
  readonly answered: number
  readonly tally: Tally
}

const demos = {
  acp: { protocol: 'acp', args: ['demo-acp'] },
  mcp: { protocol: 'mcp', args: ['demo-mcp'] },
} as const

const agentId = 'talker'
const panelId = 'panel'
const pieces = 6
const longestPieceMs = 300
const watchEveryMs = 25

const deeds = ['close', 'open', 'reload', 'say', 'killServer', 'killAgent'] as const
export type Deed = (typeof deeds)[number]
/**
 * Closings and kills of the server most of all; an agent that is killed proves only the other half.
 */
const chances: readonly Deed[] = [
  'close',
  'close',
  'close',
  'open',
  'open',
  'reload',
  'say',
  'killServer',
  'killServer',
  'killAgent',
]

export async function chatClosings({
  build,
  seed,
  turns,
  demo,
  sparesAgent,
}: ClosingOptions): Promise<ClosingResult> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-closings-'))
  const result = {
    deeds: { close: 0, open: 0, reload: 0, say: 0, killServer: 0, killAgent: 0 },
    answered: 0,
    tally: newTally(),
  }
  const visit = new Visit(
    build,
    data,
    chance(seed),
    sparesAgent ? chances.filter((deed) => deed !== 'killAgent') : chances,
  )
  try {
    await visit.begin(demo)
    for (let turn = 0; turn < turns; turn++) {
      await visit.turn(turn, result.deeds)
      if (visit.isBroken) break
    }
    const { findings, answered } = await visit.findings()
    result.answered = answered
    addTo(result.tally, findings, `seed ${seed}`)
  } catch (error) {
    if (!(error instanceof TooLate)) throw error
    addTo(result.tally, { ...noFindings(), lost: [error.message] }, `seed ${seed}`)
  } finally {
    await visit.end()
  }
  return result
}

class Visit {
  readonly #build: string
  readonly #data: string
  readonly #dice: Chance
  readonly #chances: readonly Deed[]
  readonly #words: string[] = []
  readonly #together = new Set<string>()
  #kills = 0
  #server: ServerProcess | undefined
  #client: Client = createClient({ url: 'http://127.0.0.1:9', token: '' })
  #port = 0
  #projectId = ''
  #watching: NodeJS.Timeout | undefined
  #folderId = ''

  constructor(build: string, data: string, dice: Chance, among: readonly Deed[]) {
    this.#build = build
    this.#data = data
    this.#dice = dice
    this.#chances = among
  }

  get isBroken(): boolean {
    return this.#together.size > 0
  }

  async begin(demo: keyof typeof demos): Promise<void> {
    await this.#start()
    const settings = { 'restart.max': 100 }
    this.#projectId = (
      await this.#client.post('/api/projects', { body: { name: 'talk', settings } })
    ).id
    const { protocol, args } = demos[demo]
    const entry = { id: agentId, name: 'Talker', protocol, command: 'holdfast', args: [...args] }
    await this.#client.post('/api/agents', { body: entry })
    await this.#client.put('/api/projects/{projectId}/agents/{agentId}', {
      params: this.#place,
      body: {},
    })
    this.#folderId = await folderIdOf(this.#data)
    if (demo === 'acp') this.#watching = setInterval(() => void this.#watch(), watchEveryMs)
    await this.#open()
    await this.#say()
    await this.#answered(this.#words[0] ?? '')
  }

  /**
   * One message, some deeds while it is answered, and its answer: the panel may be open or closed
   * then.
   */
  async turn(nth: number, done: Record<Deed, number>): Promise<void> {
    const dice = this.#dice.fork(nth)
    const word = await this.#say(1 + dice.below(longestPieceMs))
    for (let left = 1 + dice.below(4); left > 0; left--) {
      await new Promise((resolve) => setTimeout(resolve, dice.below(400)))
      const deed = dice.pick(this.#chances)
      done[deed]++
      await this.#do(deed)
    }
    await this.#answered(word)
  }

  async #do(deed: Deed): Promise<void> {
    switch (deed) {
      case 'close':
        return this.#close()
      case 'open':
        return this.#open()
      case 'reload':
        await this.#close(true)
        return this.#open()
      case 'say':
        await this.#say()
        return
      case 'killServer':
        this.#server?.child.kill('SIGKILL')
        await this.#server?.exited
        return this.#start()
      case 'killAgent':
        return this.#killAgent()
    }
  }

  async #start(): Promise<void> {
    const env = { XDG_STATE_HOME: join(this.#data, 'state') }
    this.#server = await startServer(this.#build, this.#data, this.#port, env, 'up')
    const { url, token } = await this.#server.ready
    this.#port = Number(new URL(url).port)
    this.#client = createClient({ url, token })
  }

  get #place() {
    return { projectId: this.#projectId, agentId }
  }

  async #open(): Promise<void> {
    const params = { projectId: this.#projectId }
    await this.#client.post('/api/projects/{projectId}/chat/start', {
      params,
      query: { agentId, panelId },
    })
  }

  async #close(soon = false): Promise<void> {
    const query = { panelId, ...(soon && { soon }) }
    await this.#client.post('/api/projects/{projectId}/agents/{agentId}/chat/end', {
      params: this.#place,
      query,
    })
  }

  async #say(pieceMs = 0): Promise<string> {
    const word = `word-${this.#words.length}.`
    const content = `[[slow ${pieces} ${pieceMs}]] ${word}`
    await this.#client.post('/api/chat', {
      body: { projectId: this.#projectId, toAgentId: agentId, content },
    })
    this.#words.push(word)
    return word
  }

  async #killAgent(): Promise<void> {
    const [any] = await this.#processes()
    if (!any) return
    if ((await this.#turnStates()).some((state) => state === 'running' || state === 'queued'))
      this.#kills++
    process.kill(any.pid, 'SIGKILL')
  }

  async #processes() {
    return (await machine.list()).filter(({ mark }) => mark?.folderId === this.#folderId)
  }

  async #watch(): Promise<void> {
    const launches = new Set((await this.#processes()).map(({ mark }) => mark?.launchId))
    if (launches.size > 1) this.#together.add([...launches].sort().join(' and '))
  }

  async #messages() {
    const all: { senderId: string; content: string }[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: 100, ...(cursor && { cursor }) }
      const page = await this.#client.get('/api/projects/{projectId}/agents/{agentId}/messages', {
        params: this.#place,
        query,
      })
      all.push(...page.items)
      cursor = page.nextCursor
    }
    return all.filter(({ senderId }) => senderId === agentId)
  }

  async #answered(word: string): Promise<void> {
    await eventually(`the answer to ${word}`, async () => {
      if (this.isBroken) return true
      return (await this.#messages()).some(({ content }) => content.includes(word))
        ? true
        : undefined
    })
  }

  async findings(): Promise<{ findings: Findings; answered: number }> {
    const findings = noFindings()
    for (const word of this.#words) await this.#answered(word)
    const said = (await this.#messages()).map(({ content }) => content)
    for (const word of this.#words) {
      const times = said.filter((each) => each.includes(word)).length
      if (times > 1) findings.doubled.push(`${word} was answered ${times} times`)
    }
    const states = await this.#turnStates()
    const unknown = states.filter((state) => state === 'unknown').length
    if (unknown > this.#kills)
      findings.doubled.push(
        `${unknown} turns are unknown after ${this.#kills} kills of the agent in a turn`,
      )
    for (const [word, times] of await this.#askedInTalks())
      if (times > 1 && unknown === 0) findings.doubled.push(`${word} was told ${times} times`)
    for (const two of this.#together) findings.doubled.push(`two processes at once: ${two}`)
    return { findings, answered: said.length }
  }

  async #turnStates(): Promise<string[]> {
    const key = `web:${this.#projectId}.${agentId}`
    const states: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: 100, ...(cursor && { cursor }) }
      const page = await this.#client.get('/api/conversations/{key}/turns', {
        params: { key },
        query,
      })
      states.push(...page.items.map(({ state }) => state))
      cursor = page.nextCursor
    }
    return states
  }

  /** What the agent itself has kept, where it keeps anything. */
  async #askedInTalks(): Promise<Map<string, number>> {
    const folder = join(this.#data, 'state', 'holdfast', 'demo-agent')
    const times = new Map<string, number>()
    for (const name of await readdir(folder).catch(() => [])) {
      const talk = JSON.parse(await readFile(join(folder, name), 'utf8')) as { answered: string }[]
      for (const { answered } of talk)
        for (const [word] of answered.matchAll(/word-\d+\./g))
          times.set(word, (times.get(word) ?? 0) + 1)
    }
    return times
  }

  async end(): Promise<void> {
    clearInterval(this.#watching)
    this.#server?.child.kill('SIGKILL')
    await this.#server?.exited
    await endCoordinator(this.#data)
    await rm(this.#data, { recursive: true, force: true, maxRetries: 5 })
  }
}
