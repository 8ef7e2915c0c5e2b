/**
 * The connection with one agent over its standard input and output (AC1-AC4): greeted once, then any number of contexts are opened on it,
 * each an ACP session of the agent's. What the agent sends is handed to the context it is about. It reports, and decides nothing: which
 * prompt is next, what a person allows and when the process has to go is for others.
 */
import type { Readable, Writable } from 'node:stream'
import { type ClientConnection, client, methods, RequestError } from '@agentclientprotocol/sdk'
import type { Clock } from '../../platform/clock.ts'
import { statusText } from '../../protocol/sentences.ts'
import { type Anomaly, AnomalyCounter } from './anomalies.ts'
import { AcpContext, type AcpContextOptions } from './context.ts'
import { AcpFailure, failureOf } from './failure.ts'
import { minuteMs } from './limits.ts'
import {
  type AcpSessionSetup,
  type AgentFacts,
  initialize,
  type OpenedAcpSession,
  type OpeningOptions,
  openAcpSession,
  restoreAcpSession,
} from './open-acp-session.ts'
import { fieldsOf, lineOf } from './read-fields.ts'
import { Wire } from './wire.ts'

export interface AcpConnectionOptions {
  /** The agent's standard output. */
  readonly from: Readable
  /** The agent's standard input. */
  readonly to: Writable
  readonly clock: Clock
  /** Ours, for the handshake. */
  readonly version: string
  /** Something was wrong and was left out; told when it happens first, and again when it has become ten times as much. */
  readonly onAnomaly: (anomaly: Anomaly) => void
  /** While what it gives is pending nothing more is read of the agent. */
  readonly waitForCapacity?: () => Promise<void> | undefined
}

/** What a context reports. */
export type ContextHandlers = Pick<AcpContextOptions, 'onUpdate' | 'onPermission'>

export interface OpenedContext {
  readonly context: AcpContext
  readonly opened: OpenedAcpSession
}

/** An earlier ACP session, and when it was opened last. */
export interface EarlierAcpSession {
  readonly acpSessionId: string
  readonly openedAt: number
}

export class AcpConnection {
  readonly #options: AcpConnectionOptions
  readonly #connection: ClientConnection
  readonly #wire: Wire
  readonly #anomalies: AnomalyCounter
  readonly #contexts = new Map<string, AcpContext>()
  /** Being opened, before the agent has named it: what it says of a session that nobody knows yet is about this one. */
  #contextBeingOpened: AcpContext | undefined
  #facts: AgentFacts | undefined

  constructor(options: AcpConnectionOptions) {
    this.#options = options
    this.#anomalies = new AnomalyCounter(options.onAnomaly)
    this.#wire = new Wire({
      from: options.from,
      to: options.to,
      clock: options.clock,
      waitForCapacity: options.waitForCapacity,
      onUpdate: (params) => this.#handleUpdate(params),
      onAnswered: (method, params) => {
        if (method === methods.agent.session.prompt) this.#contextOf(params)?.closeTurn()
      },
      onNoise: (noise, bytes, sample) => this.#anomalies.count(noise, sample, bytes),
    })
    const { requestPermission } = methods.client.session
    this.#connection = client({ name: 'holdfast' })
      .onRequest(requestPermission, fieldsOf, ({ params, signal }) => {
        const context = this.#contextOf(params)
        return context ? context.askPermission(params, signal) : { outcome: { outcome: 'cancelled' } }
      })
      // AC2: files and terminals are the agent's own, and what we do not know harms nobody.
      .onRequest('*', ({ method }) => {
        this.#anomalies.count('refused_request', method)
        throw RequestError.methodNotFound(method)
      })
      .connect(this.#wire.stream)
  }

  /** Resolves when the agent has closed its side, or we ours. */
  get ended(): Promise<void> {
    return this.#connection.closed
  }

  async initialize(): Promise<AgentFacts> {
    this.#facts = await initialize(this.#openingOptions())
    return this.#facts
  }

  /** A new context; rejects when the agent does not open it. */
  async open(setup: AcpSessionSetup, handlers: ContextHandlers): Promise<OpenedContext> {
    const context = this.#newContext(handlers)
    return this.#register(context, async () => openAcpSession(this.#openingOptions(), this.#requireFacts(), setup))
  }

  /** How long `reopen` waits before it asks, for an agent that would damage its record. */
  loadDelayMs(openedAt: number): number {
    const facts = this.#requireFacts()
    if (facts.canResume || !facts.canLoad || !loadsOncePerMinute(facts)) return 0
    const nextMinute = (Math.floor(openedAt / minuteMs) + 1) * minuteMs
    return Math.max(0, Math.min(minuteMs, nextMinute - this.#options.clock.now()))
  }

  /** AC4: an earlier one brought back, with what is replayed thrown away; where that fails, a new one that says why. */
  async reopen(
    setup: AcpSessionSetup,
    { acpSessionId, openedAt }: EarlierAcpSession,
    handlers: ContextHandlers,
  ): Promise<OpenedContext> {
    if (setup.isNew) {
      const { context, opened } = await this.open(setup, handlers)
      return { context, opened: { ...opened, notRestored: statusText('folderHasGone') } }
    }
    const facts = this.#requireFacts()
    const delayMs = this.loadDelayMs(openedAt)
    if (delayMs > 0) await new Promise<void>((resolve) => this.#options.clock.after(delayMs, resolve))
    const context = this.#newContext(handlers)
    this.#contexts.set(acpSessionId, context)
    const found = await this.#register(context, () => restoreAcpSession(this.#openingOptions(), facts, setup, acpSessionId))
    if (found.opened.acpSessionId !== acpSessionId) this.#contexts.delete(acpSessionId)
    if (found.opened.how === 'loaded') await context.waitForReplay()
    return found
  }

  /** It is not spoken to any more. */
  release(context: AcpContext): void {
    for (const [id, each] of this.#contexts) if (each === context) this.#contexts.delete(id)
  }

  /** Closes our side; many agents go then, and the others have to be ended. */
  close(): void {
    for (const context of this.#contexts.values()) context.closeTurn()
    this.#connection.close()
    this.#wire.close()
  }

  async #register(context: AcpContext, open: () => Promise<OpenedAcpSession>): Promise<OpenedContext> {
    this.#contextBeingOpened = context
    try {
      const opened = await open()
      context.setAcpSessionId(opened.acpSessionId)
      this.#contexts.set(opened.acpSessionId, context)
      return { context, opened }
    } finally {
      this.#contextBeingOpened = undefined
    }
  }

  #newContext(handlers: ContextHandlers): AcpContext {
    const { clock } = this.#options
    const facts = this.#requireFacts()
    const agent = this.#connection.agent
    const ask: OpeningOptions['ask'] = (what, work, limitMs) => this.#ask(what, work, limitMs)
    return new AcpContext({ ...handlers, agent, ask, clock, facts, anomalies: this.#anomalies })
  }

  #openingOptions(): OpeningOptions {
    const ask: OpeningOptions['ask'] = (method, work, limitMs) => this.#ask(method, work, limitMs)
    return { agent: this.#connection.agent, ask, version: this.#options.version }
  }

  async #ask<Answer>(what: string, ask: () => Promise<Answer>, limitMs: number): Promise<Answer> {
    const late = Promise.withResolvers<never>()
    const message = statusText('noAnswerWithin', { what, seconds: limitMs / 1000 })
    const stopWaiting = this.#options.clock.after(limitMs, () => late.reject(new AcpFailure('timeout', message)))
    try {
      return await Promise.race([ask(), late.promise])
    } catch (error) {
      throw failureOf(error, what)
    } finally {
      stopWaiting()
    }
  }

  #requireFacts(): AgentFacts {
    if (!this.#facts) throw new Error('The agent was not greeted')
    return this.#facts
  }

  #contextOf(params: unknown): AcpContext | undefined {
    return this.#contexts.get(lineOf(fieldsOf(params)['sessionId']) ?? '')
  }

  #handleUpdate(params: unknown): void {
    const context = this.#contextOf(params) ?? this.#contextBeingOpened
    if (context) context.handleUpdate(params)
    else this.#anomalies.count('another_session', '')
  }
}

/** Observed with this one: its record is named after the minute, and a load in the same minute writes over it. */
const loadsOncePerMinute = ({ name }: AgentFacts): boolean => name === 'gemini-cli'
