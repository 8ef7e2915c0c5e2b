/**
 * A person who talks with an agent through the balancer while nodes and machines come and go: says
 * something, waits for the answer, says the next. Every message is to be answered exactly once, and
 * every event of the chat to come exactly once and in order.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type EventWatch, watchEvents } from '../../../src/client/event-stream.ts'
import type { StreamName } from '../../../src/domain/stream-name.ts'
import { type Findings, noFindings } from '../oracle.ts'
import { Sightings } from '../ordering/sightings.ts'
import type { Cluster } from './cluster.ts'

const demos = {
  mcp: { protocol: 'mcp', args: ['demo-mcp', '--stay'] },
  acp: { protocol: 'acp', args: ['demo-acp'] },
} as const

const restMs = 150
const tryAgainMs = 200
/**
 * A coordinator that was paused past a takeover, and a start somewhere else, are between the two.
 */
const answersWithinMs = 90_000

export class Talk {
  readonly findings: Findings = noFindings()
  answered = 0
  readonly #cluster: Cluster
  readonly #agentId: string
  readonly #answers: string[] = []
  readonly #sightings = new Sightings()
  #projectId = ''
  #watch: EventWatch | undefined
  #over = false
  #running: Promise<void> = Promise.resolve()

  readonly #watched: <T>(ask: () => Promise<T>) => Promise<T>

  constructor(
    cluster: Cluster,
    agentId: string,
    watched: <T>(ask: () => Promise<T>) => Promise<T>,
  ) {
    this.#cluster = cluster
    this.#watched = watched
    this.#agentId = agentId
  }

  async begin(demo: keyof typeof demos): Promise<void> {
    const { client } = this.#cluster
    const agentId = this.#agentId
    const { protocol, args } = demos[demo]
    this.#projectId = (
      await client.post('/api/projects', { body: { name: `talk with ${agentId}` } })
    ).id
    const projectId = this.#projectId
    await client.post('/api/agents', {
      body: { id: agentId, name: agentId, protocol, command: 'holdfast', args: [...args] },
    })
    await client.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId, agentId },
      body: {},
    })
    await client.post('/api/projects/{projectId}/chat/start', {
      params: { projectId },
      query: { agentId },
    })
    this.#watch = watchEvents(client, {
      streams: [this.#stream],
      after: (await client.get('/api/snapshot', { query: { streams: this.#stream } })).cursor,
      onEvent: (event) => {
        if (this.#sightings.count === 0)
          for (let seq = 1; seq < event.seq; seq++) this.#sightings.see(this.#stream, seq)
        this.#sightings.see(this.#stream, event.seq)
        const { message } = ('data' in event ? event.data : {}) as {
          message?: { senderId: string; content: string }
        }
        if (message?.senderId === agentId) this.#answers.push(message.content)
      },
      onSnapshot: () =>
        this.findings.lost.push(`${agentId}: a snapshot came where events must come`),
    })
    this.#running = this.#talk()
  }

  async end(): Promise<void> {
    this.#over = true
    await this.#running
    const { client } = this.#cluster
    const params = { projectId: this.#projectId, agentId: this.#agentId }
    const stored: string[] = []
    const path = '/api/projects/{projectId}/agents/{agentId}/messages'
    for await (const { senderId, content } of client.pages(path, { params, query: {} }))
      if (senderId === this.#agentId) stored.push(content)
    for (let n = 0; n < this.answered; n++) {
      const often = stored.filter((text) => says(text, n)).length
      if (often === 0)
        this.findings.lost.push(
          `${this.#agentId}: the answer to message ${n} is not there any more`,
        )
      if (often > 1)
        this.findings.doubled.push(`${this.#agentId}: message ${n} was answered ${often} times`)
    }
    this.#watch?.close()
    for (const kind of ['lost', 'doubled', 'reordered', 'torn'] as const)
      this.findings[kind].push(...this.#sightings.end(new Map())[kind])
  }

  async #talk(): Promise<void> {
    for (let n = 0; !this.#over; n++) {
      await this.#say(n)
      const until = performance.now() + answersWithinMs
      while (!this.#answers.some((text) => says(text, n))) {
        if (performance.now() > until) {
          this.findings.lost.push(
            `${this.#agentId}: message ${n} got no answer within ${answersWithinMs / 1000} s`,
          )
          return
        }
        await pause(20)
      }
      this.answered++
      await pause(restMs)
    }
  }

  /** Until it is acknowledged; said twice, it counts once. */
  async #say(n: number): Promise<void> {
    const body = {
      projectId: this.#projectId,
      toAgentId: this.#agentId,
      content: `message ${n}.`,
      clientId: `${this.#agentId} ${n}`,
    }
    for (;;) {
      try {
        await this.#watched(() =>
          this.#cluster.client.post('/api/chat', { body, timeoutMs: 12_000, retries: 0 }),
        )
        return
      } catch {
        await pause(tryAgainMs)
      }
    }
  }

  get #stream(): StreamName {
    return `conversation:web:${this.#projectId}.${this.#agentId}`
  }
}

const says = (text: string, n: number): boolean => text.includes(`message ${n}.`)
