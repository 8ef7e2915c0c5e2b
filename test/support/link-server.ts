/**
 * The server's side of the coordinator's link, as far as a coordinator can tell: stores facts once
 * by their number, hands out orders, raises the epoch. It can go away and come back on the same
 * port, and misbehave where a test asks for it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import {
  CoordinatorFacts,
  CoordinatorHello,
  CoordinatorHolds,
  type LaunchOrder,
  type LaunchParticulars,
  type LinkFact,
} from '../../src/protocol/processes/link.ts'
import { sandboxLimits } from '../../src/protocol/processes/sandbox-limits.ts'
import {
  CoordinatorTurn,
  type RunningTurn,
  type SettledPermission,
  type TurnOrder,
} from '../../src/protocol/turns/link.ts'
import { particularsOf } from './launch-particulars.ts'

const longestWaitMs = 30_000

export class LinkServer {
  readonly hellos: CoordinatorHello[] = []
  readonly facts: LinkFact[] = []
  /** Also those that came again. */
  readonly received: LinkFact[] = []
  readonly launches = new Map<string, LaunchOrder>()
  readonly particulars = new Map<string, LaunchParticulars>()
  /** That run, with what they are about. */
  readonly turns = new Map<string, RunningTurn & TurnOrder>()
  readonly permissions: SettledPermission[] = []
  token = 'a-token-for-the-coordinator'
  epoch = 0
  lastFact = 0
  maxConcurrent = 64
  aloneMinutes = 30
  takeoverMinutes: number | null = null
  sandboxLimits = sandboxLimits()
  /** Facts are stored and not acknowledged. */
  silent = false
  /** What the coordinator said it has, at each connection. */
  readonly held: (readonly string[])[] = []
  /** So many questions for a turn are refused, as by a server whose database is away. */
  refusedTurns = 0
  /** How long is waited for anything; real agents take longer. */
  patienceMs = longestWaitMs
  /** Answers instead of storing. */
  refuse: ((facts: readonly LinkFact[]) => { code: string; status: number } | undefined) | undefined
  /** Handles requests that are no WebSocket, such as those to an MCP endpoint. */
  onRequest: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    void response.writeHead(404).end()
  /** The coordinator has said what it has. */
  #isLinked = false
  #instance = ''
  #port = 0
  #server: Server | undefined
  #sockets = new Set<WebSocket>()
  #waiting: (() => void)[] = []
  #requests = 0

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => this.onRequest(request, response))
    const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
    server.on('upgrade', (request, socket, head) => {
      const allowed =
        request.url === '/ws' && request.headers.authorization === `Bearer ${this.token}`
      if (!allowed) return void socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n')
      sockets.handleUpgrade(request, socket, head, (webSocket) => this.#accept(webSocket))
    })
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
    return this
  }

  /** As if killed. */
  async vanish(): Promise<void> {
    this.#isLinked = false
    for (const socket of this.#sockets) socket.terminate()
    this.#server?.closeAllConnections()
    await new Promise((resolve) =>
      this.#server ? this.#server.close(resolve) : resolve(undefined),
    )
    this.#server = undefined
  }

  /** Begins an agent that is a shell script. */
  order(particulars: Partial<LaunchParticulars>, order: Partial<LaunchOrder> = {}): string {
    const launchId = this.prepare(particulars, order)
    if (this.#isLinked) this.begin(launchId)
    return launchId
  }

  /** A launch that nobody is told of yet. */
  prepare(particulars: Partial<LaunchParticulars>, order: Partial<LaunchOrder> = {}): string {
    const whole = particularsOf(particulars)
    const { launchId, agentId, projectId } = whole
    this.particulars.set(launchId, whole)
    const ordered: LaunchOrder = {
      launchId,
      agentId,
      projectId,
      maxProcesses: null,
      state: 'waiting',
      stopReason: null,
      ...order,
    }
    this.launches.set(launchId, ordered)
    return launchId
  }

  /** Says how to start it. */
  begin(launchId: string): void {
    const order = this.launches.get(launchId)
    if (order) this.launches.set(launchId, { ...order, state: 'starting' })
    this.#say({ type: 'coordinator:offer', launch: this.particulars.get(launchId) })
  }

  stop(launchId: string): void {
    const order = this.launches.get(launchId)
    if (order?.state === 'waiting') return void this.launches.delete(launchId)
    if (order) this.launches.set(launchId, { ...order, stopReason: 'finished' })
    this.#event('stop-ordered', { launchId, reason: 'finished' })
  }

  /** Told at once when the coordinator is there, and in the next snapshot. */
  orderTurn(launchId: string, turnId: string, text: string, more: Partial<TurnOrder> = {}): void {
    const order: TurnOrder = { launchId, turnId, content: [{ type: 'text', text }], ...more }
    this.turns.set(turnId, { ...order, cancelOrdered: false })
    this.#event('turn-ordered', order)
  }

  cancelTurn(launchId: string, turnId: string): void {
    const turn = this.turns.get(turnId)
    if (turn) this.turns.set(turnId, { ...turn, cancelOrdered: true })
    this.#event('cancel-ordered', { launchId, turnId })
  }

  settle(settled: SettledPermission): void {
    this.permissions.push(settled)
    this.#event('permission-settled', settled)
  }

  /** Takes over: the connection that has the epoch is refused from now on. */
  takeOver(): void {
    this.epoch++
    this.launches.clear()
  }

  factsOf(launchId: string, type?: LinkFact['type']): LinkFact[] {
    return this.facts.filter(
      (fact) => 'launchId' in fact && fact.launchId === launchId && (!type || fact.type === type),
    )
  }

  /** Resolves when it holds; looked at after each message. Fails when it takes too long. */
  async until(holds: () => boolean): Promise<void> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.#lookAgain()
    }, this.patienceMs)
    while (!holds()) {
      if (isLate) throw new Error(`It never came to this: ${String(holds)}`)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    clearTimeout(timer)
  }

  #lookAgain(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #accept(socket: WebSocket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => {})
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { type: string; requestId: string }
      const answer = this.#answer(message, socket)
      if (answer) socket.send(JSON.stringify({ requestId: message.requestId, ...answer }))
      if (message.type === 'coordinator:hello' && answer?.['type'] === 'coordinator:welcome')
        this.#snapshot(socket)
      this.#lookAgain()
    })
  }

  #answer(message: { type: string }, socket: WebSocket): Record<string, unknown> | undefined {
    const refused = (code: string, status = 409) => ({ type: 'error', code, status, detail: code })
    if (message.type === 'coordinator:hello') {
      const hello = CoordinatorHello.parse(message)
      this.hellos.push(hello)
      if (hello.epoch !== null && hello.epoch !== this.epoch) return refused('fenced')
      if (hello.instance !== this.#instance) this.epoch++
      this.#instance = hello.instance
      const { epoch, lastFact, maxConcurrent, aloneMinutes, takeoverMinutes, sandboxLimits } = this
      return {
        type: 'coordinator:welcome',
        coordinatorId: 'c1',
        epoch,
        lastFact,
        maxConcurrent,
        aloneMinutes,
        takeoverMinutes,
        sandboxLimits,
      }
    }
    if (message.type === 'coordinator:holds') {
      const { launchIds } = CoordinatorHolds.parse(message)
      this.held.push(launchIds)
      for (const { launchId, state, stopReason } of this.launches.values())
        if (state !== 'running' && stopReason === null && !launchIds.includes(launchId))
          this.begin(launchId)
      this.#isLinked = true
      return undefined
    }
    if (message.type === 'coordinator:turn') {
      const { epoch, turnId } = CoordinatorTurn.parse(message)
      if (epoch !== this.epoch) return refused('fenced')
      if (this.refusedTurns > 0) {
        this.refusedTurns--
        return refused('unavailable', 503)
      }
      const turn = this.turns.get(turnId)
      if (!turn) return refused('not_found', 404)
      return { type: 'coordinator:prompt', launchId: turn.launchId, turnId, content: turn.content }
    }
    const { epoch, facts } = CoordinatorFacts.parse(message)
    if (epoch !== this.epoch) return refused('fenced')
    const problem = this.refuse?.(facts)
    if (problem) return refused(problem.code, problem.status)
    this.#requests++
    this.received.push(...facts)
    for (const fact of facts) this.#store(fact)
    if (this.silent) return void socket
    return { type: 'coordinator:taken', through: this.lastFact }
  }

  get requests(): number {
    return this.#requests
  }

  #store(fact: LinkFact): void {
    if (fact.n <= this.lastFact) return
    this.lastFact = fact.n
    this.facts.push(fact)
    if (fact.type === 'turn-ended') this.turns.delete(fact.turnId)
    if (fact.type === 'process-exited' || fact.type === 'start-failed')
      this.launches.delete(fact.launchId)
    const order = fact.type === 'process-started' ? this.launches.get(fact.launchId) : undefined
    if (order) this.launches.set(order.launchId, { ...order, state: 'running' })
  }

  #snapshot(socket: WebSocket): void {
    const turns = [...this.turns.values()].map(({ launchId, turnId, cancelOrdered }) => ({
      launchId,
      turnId,
      cancelOrdered,
    }))
    const orders = {
      launches: [...this.launches.values()],
      turns,
      permissions: this.permissions,
      configures: [],
      questions: [],
    }
    const state = { 'coordinator:c1': orders }
    socket.send(
      JSON.stringify({ type: 'snapshot', streams: ['coordinator:c1'], state, cursor: 'x' }),
    )
  }

  #event(type: string, data: object): void {
    const event = { type, stream: 'coordinator:c1', seq: 1, at: '', data }
    this.#say({ type: 'event', event, cursor: 'x' })
  }

  #say(message: object): void {
    for (const socket of this.#sockets) socket.send(JSON.stringify(message))
  }
}
