/**
 * A console that follows a user session over the relay through the balancer (RL4): an agent in a
 * role is prompted again and again, and every event of the session, the pieces of its answers
 * included, must come once and in order, whichever node they come from. An agent that was lost with
 * its machine is followed by another in a new role.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { openRelay, type Relay } from '../../../src/client/relay.ts'
import type { RelayEvent } from '../../../src/client/relay-messages.ts'
import { type Findings, noFindings } from '../oracle.ts'
import { type Cluster, token } from './cluster.ts'

const restMs = 200

export class Console {
  readonly findings: Findings = noFindings()
  /** Turns that were answered, and those nobody can know about, because their process was lost. */
  answered = 0
  unknown = 0
  readonly #cluster: Cluster
  readonly #relay: Relay
  readonly #events: RelayEvent[] = []
  #userSessionId = ''
  #changed = (): void => {}
  #over = false
  #running: Promise<void> = Promise.resolve()

  constructor(cluster: Cluster) {
    this.#cluster = cluster
    this.#relay = openRelay({ url: cluster.balancer.url, token })
  }

  async begin(): Promise<void> {
    const { client } = this.#cluster
    const { id: projectId } = await client.post('/api/projects', { body: { name: 'console' } })
    const agentId = 'in-a-role'
    const body = {
      id: agentId,
      name: agentId,
      protocol: 'acp',
      command: 'holdfast',
      args: ['demo-acp'],
    } as const
    await client.post('/api/agents', { body: { ...body, args: [...body.args] } })
    await client.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId, agentId },
      body: {},
    })
    this.#userSessionId = await this.#relay.create(projectId)
    this.#relay.follow({
      userSessionId: this.#userSessionId,
      lastSeq: 0,
      onEvent: (event) => {
        if (event.seq !== this.#events.length + 1)
          this.findings.torn.push(`event ${event.seq} came behind ${this.#events.length}`)
        this.#events.push(event)
        this.#changed()
      },
      onSnapshot: () => this.findings.lost.push('a snapshot came where events must come'),
      onRefused: ({ code }) =>
        this.findings.lost.push(`the user session cannot be followed any more: ${code}`),
    })
    this.#running = this.#work()
  }

  async end(): Promise<void> {
    this.#over = true
    this.#changed()
    await this.#running
    this.#relay.close()
  }

  async #work(): Promise<void> {
    for (let agents = 0; !this.#over; agents++) {
      const role = `role-${agents}`
      const about = { sessionId: this.#userSessionId, role }
      await this.#ask({ type: 'agent:spawn', ...about, agentId: 'in-a-role' })
      if (await this.#until(role, ['agent:ready'])) await this.#prompt(about)
      await pause(restMs)
    }
  }

  async #prompt(about: { sessionId: string; role: string }): Promise<void> {
    for (let n = 0; !this.#over; n++) {
      const from = this.#events.length
      if (
        !(await this.#ask({
          type: 'agent:message',
          ...about,
          content: `[[slow 4 60]] ${about.role} ${n}.`,
        }))
      )
        return
      if (!(await this.#until(about.role, ['agent:response'], from))) {
        this.unknown++
        return
      }
      this.answered++
      await pause(restMs)
    }
  }

  /** True when such an event has come; false when the agent is lost, or it is all over. */
  async #until(role: string, types: readonly RelayEvent['type'][], from = 0): Promise<boolean> {
    for (;;) {
      const about = this.#events
        .slice(from)
        .filter((event) => 'role' in event && event.role === role)
      if (about.some(({ type }) => types.includes(type))) return true
      if (this.#over || this.#events.some((event) => isEnd(event, role))) return false
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  /** Until there is an answer; the same request twice counts once (RL2). */
  async #ask(request: Parameters<Relay['request']>[0]): Promise<boolean> {
    const requestId = `${JSON.stringify(request)} ${this.#events.length}`.slice(0, 200)
    for (;;) {
      try {
        await this.#relay.request(request, requestId)
        return true
      } catch (error) {
        const { problem } = error as { problem?: { status: number } }
        if (this.#over || (problem && problem.status < 500 && problem.status !== 429)) return false
        await pause(restMs)
      }
    }
  }
}

const isEnd = (event: RelayEvent, role: string): boolean =>
  (event.type === 'agent:failed' || event.type === 'agent:terminated') && event.role === role
