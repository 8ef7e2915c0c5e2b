/**
 * A connection to one agent over its standard input and output (AC1-AC4). It is initialized once
 * and then holds any number of contexts, each an ACP session. Passes each message to its context,
 * and decides nothing about prompts, permissions or the process.
 */
import { type ClientConnection, client, methods, RequestError } from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../platform/json.ts'
import { type Detail, statusNotice } from '../../protocol/status-texts.ts'
import type { AgentUpdate } from '../../protocol/turns/agent-update.ts'
import { AcpContext, type AcpContextOptions } from './context.ts'
import { AcpFailure, type Anomaly, AnomalyCounter, failureOf } from './failure.ts'
import { leaveMs, listMs, maxLeftSessions, signInMs } from './limits.ts'
import {
  type AcpSessionSetup,
  type AgentFacts,
  type EarlierAcpSession,
  initialize,
  type OpenedAcpSession,
  type OpeningOptions,
  openAcpSession,
  restoreAcpSession,
  type StartedAgent,
  signedIn,
  type TimedRequest,
} from './open-acp-session.ts'
import { questionOf } from './questions.ts'
import { lineOf, listOf, Wire, type WireOptions } from './wire.ts'

export interface AcpConnectionOptions
  extends Pick<WireOptions, 'from' | 'to' | 'clock' | 'waitForCapacity'> {
  readonly version: string
  /** Called at the first occurrence of an anomaly and at each power of ten. */
  readonly onAnomaly: (anomaly: Anomaly) => void
  /** All that an agent said of an error, where people are shown less. */
  readonly onWholeError?: (text: string) => void
  readonly started?: StartedAgent | undefined
  /**
   * An address to open, outside of any context: while somebody signs in. Without it the agent is
   * told no.
   */
  readonly onVisit?: ((visit: Visit) => void) | undefined
  /** IM14: such a session is not continued here, but a copy of it. */
  readonly isOpenElsewhere?: (acpSessionId: string) => Promise<boolean>
}

/** What an agent asks a person to open. */
export interface Visit {
  readonly message: string
  readonly url: string
}

export type ContextHandlers = Pick<AcpContextOptions, 'onUpdate' | 'onPermission' | 'onQuestion'>

export interface OpenedContext {
  readonly context: AcpContext
  readonly opened: OpenedAcpSession
  /** What the person is told of it, in the next turn. */
  readonly note?: AgentUpdate | undefined
}

export class AcpConnection {
  readonly #options: AcpConnectionOptions
  readonly #connection: ClientConnection
  readonly #wire: Wire
  readonly #anomalies: AnomalyCounter
  readonly #contexts = new Map<string, AcpContext>()
  /** Sessions that were let go, the newest. */
  readonly #left = new Set<string>()
  /** The context being opened. Updates with an unknown session id belong to it. */
  #contextBeingOpened: AcpContext | undefined
  #facts: AgentFacts | undefined

  constructor(options: AcpConnectionOptions) {
    this.#options = options
    this.#anomalies = new AnomalyCounter(options.onAnomaly)
    this.#wire = new Wire({
      ...options,
      onUpdate: (params) => this.#handleUpdate(params),
      onVisited: (params) => {
        const visitId = lineOf(fieldsOf(params)['elicitationId']) ?? ''
        for (const context of this.#contexts.values()) context.completeVisit(visitId)
      },
      onAnswered: (method, params) => {
        if (method === methods.agent.session.prompt) this.#contextOf(params)?.closeTurn()
      },
      onNoise: (noise, bytes, sample) => this.#anomalies.count(noise, sample, bytes),
    })
    const { requestPermission } = methods.client.session
    this.#connection = client({ name: 'holdfast' })
      .onRequest(requestPermission, fieldsOf, ({ params, signal }) => {
        const context = this.#contextThatAsks(params)
        return context
          ? context.askPermission(params, signal)
          : { outcome: { outcome: 'cancelled' } }
      })
      .onRequest(methods.client.elicitation.create, fieldsOf, ({ params, signal }) => {
        const context = this.#contextThatAsks(params)
        return context ? context.askQuestion(params, signal) : { action: this.#visit(params) }
      })
      // AC2: file, terminal and unknown requests are refused.
      .onRequest('*', ({ method }) => {
        this.#anomalies.count('refused_request', method)
        throw RequestError.methodNotFound(method)
      })
      .connect(this.#wire.stream)
  }

  /** Resolves when either side has closed. */
  get ended(): Promise<void> {
    return this.#connection.closed
  }

  async initialize(): Promise<AgentFacts> {
    this.#facts = await initialize(this.#openingOptions())
    return this.#facts
  }

  get takesImages(): boolean {
    return this.#requireFacts().abilities.images
  }

  async open(setup: AcpSessionSetup, handlers: ContextHandlers): Promise<OpenedContext> {
    const context = this.#newContext(handlers)
    return this.#register(context, () =>
      openAcpSession(this.#openingOptions(), this.#requireFacts(), setup),
    )
  }

  /**
   * AC4: restores an earlier session, discarding what is replayed. If that fails, or there is none,
   * opens a new one, and says why. One that is open elsewhere is forked (IM14).
   */
  async reopen(
    setup: AcpSessionSetup,
    earlier: EarlierAcpSession | null,
    handlers: ContextHandlers,
  ): Promise<OpenedContext> {
    if (earlier === null) return this.open(setup, handlers)
    const { acpSessionId, forks } = earlier
    if (setup.isNew || forks || !(await this.#options.isOpenElsewhere?.(acpSessionId)))
      return this.#restore(setup, earlier, handlers)
    const { context, opened } = await this.#restore(setup, { acpSessionId, forks: true }, handlers)
    const isNew = opened.how === 'new'
    const why = statusNotice(isNew ? 'openElsewhere' : 'copyOfOpenElsewhere')
    const { text: title, notice } = why
    const note: AgentUpdate = {
      kind: 'notice',
      severity: 'warning',
      title,
      description: null,
      notice,
    }
    return { context, opened: { ...opened, notRestored: isNew ? why : null }, note }
  }

  async #restore(
    setup: AcpSessionSetup,
    earlier: EarlierAcpSession,
    handlers: ContextHandlers,
  ): Promise<OpenedContext> {
    if (setup.isNew) {
      const { context, opened } = await this.open(setup, handlers)
      return { context, opened: { ...opened, notRestored: statusNotice('folderHasGone') } }
    }
    const facts = this.#requireFacts()
    const { acpSessionId, forks } = earlier
    const context = this.#newContext(handlers)
    if (!forks) this.#contexts.set(acpSessionId, context)
    context.isReplaying = true
    const found = await this.#register(context, () =>
      restoreAcpSession(this.#openingOptions(), facts, setup, earlier),
    )
    if (!forks && found.opened.acpSessionId !== acpSessionId) this.#contexts.delete(acpSessionId)
    const hasReplayed = found.opened.how !== 'loaded' || (await context.waitForReplay())
    context.isReplaying = false
    if (hasReplayed) return found
    // CX18: it has loaded a session that holds nothing.
    return {
      context,
      opened: { ...found.opened, how: 'new', notRestored: statusNotice('loadedNothing') },
    }
  }

  /** The first page of the sessions that the agent keeps. */
  async listAcpSessions(
    folder?: string,
  ): Promise<{ id: string; title: string | null; folder: string | null }[]> {
    const answer = fieldsOf(
      await this.#ask(
        methods.agent.session.list,
        folder === undefined ? {} : { cwd: folder },
        listMs,
      ),
    )
    return listOf(answer['sessions']).map((each) => ({
      id: lineOf(each['sessionId']) ?? '',
      title: lineOf(each['title']) ?? null,
      folder: lineOf(each['cwd']) ?? null,
    }))
  }

  authenticate(methodId: string, limitMs: number): Promise<unknown> {
    return this.#ask(methods.agent.authenticate, { methodId }, limitMs)
  }

  logout(): Promise<unknown> {
    return this.#ask(methods.agent.logout, {}, signInMs)
  }

  release(context: AcpContext): void {
    for (const [id, each] of this.#contexts) if (each === context) this.#forget(id)
  }

  /**
   * AC12: closes a session that nobody needs any more, and deletes it, where the agent offers that.
   * Failures change nothing.
   */
  async leave(acpSessionId: string, isDeleted: boolean): Promise<void> {
    const { close, delete: remove } = this.#requireFacts().abilities
    const { close: closing, delete: deleting } = methods.agent.session
    const request = { sessionId: acpSessionId }
    const isOpen = this.#forget(acpSessionId)
    if (isOpen && close) await this.#ask(closing, request, leaveMs).catch(() => {})
    if (isDeleted && remove) await this.#ask(deleting, request, leaveMs).catch(() => {})
  }

  /** Closes our side. Agents that do not exit then must be ended. */
  close(): void {
    this.#anomalies.flush()
    for (const context of this.#contexts.values()) context.closeTurn()
    this.#connection.close()
    this.#wire.close()
  }

  async #register(
    context: AcpContext,
    open: () => Promise<OpenedAcpSession>,
  ): Promise<OpenedContext> {
    this.#contextBeingOpened = context
    try {
      const opened = await signedIn(this.#openingOptions(), this.#requireFacts(), open)
      context.setOpened(opened)
      this.#contexts.set(opened.acpSessionId, context)
      return { context, opened }
    } finally {
      this.#contextBeingOpened = undefined
    }
  }

  #newContext(handlers: ContextHandlers): AcpContext {
    const { clock } = this.#options
    const facts = this.#requireFacts()
    const toFailure: AcpContextOptions['toFailure'] = (error, what) => this.#failure(error, what)
    const { agent } = this.#connection
    return new AcpContext({
      ...handlers,
      agent,
      ask: this.#ask,
      clock,
      facts,
      toFailure,
      anomalies: this.#anomalies,
    })
  }

  #openingOptions(): OpeningOptions {
    return { ask: this.#ask, version: this.#options.version, started: this.#options.started }
  }

  readonly #ask: TimedRequest = async (method, params, limitMs) => {
    const late = Promise.withResolvers<never>()
    const message = statusNotice('noAnswerWithin', { what: method, seconds: limitMs / 1000 })
    const stopWaiting = this.#options.clock.after(limitMs, () =>
      late.reject(new AcpFailure('timeout', message)),
    )
    try {
      return fieldsOf(
        await Promise.race([this.#connection.agent.request(method, params), late.promise]),
      )
    } catch (error) {
      throw this.#failure(error, method)
    } finally {
      stopWaiting()
    }
  }

  #failure(error: unknown, what: Detail): AcpFailure {
    const failure = failureOf(error, what)
    if (failure.whole !== undefined && failure !== error)
      this.#options.onWholeError?.(failure.whole)
    return failure
  }

  /** The person who signs in has asked for it, so it is accepted and shown. */
  #visit(params: unknown): 'accept' | 'cancel' {
    const { message, url } = questionOf(params)?.question ?? {}
    const { onVisit } = this.#options
    if (onVisit && message && url) {
      onVisit({ message, url })
      return 'accept'
    }
    this.#anomalies.count('another_session', methods.client.elicitation.create)
    return 'cancel'
  }

  #requireFacts(): AgentFacts {
    if (!this.#facts) throw new Error('The agent was not greeted')
    return this.#facts
  }

  #contextOf(params: unknown): AcpContext | undefined {
    return this.#contexts.get(lineOf(fieldsOf(params)['sessionId']) ?? '')
  }

  /**
   * AC16: what asks under an id that was never opened here is a sub-agent's session. It is asked in
   * the turn that runs; where several run nobody can tell whose it is.
   */
  #contextThatAsks(params: unknown): AcpContext | undefined {
    const id = lineOf(fieldsOf(params)['sessionId']) ?? ''
    const context = this.#contexts.get(id)
    if (context || id === '' || this.#left.has(id)) return context
    const inTurn = [...new Set(this.#contexts.values())].filter(({ isInTurn }) => isInTurn)
    return inTurn.length === 1 ? inTurn[0] : undefined
  }

  /** An agent may still ask under the id of a session that was let go. */
  #forget(acpSessionId: string): boolean {
    this.#left.add(acpSessionId)
    const [oldest] = this.#left
    if (this.#left.size > maxLeftSessions && oldest !== undefined) this.#left.delete(oldest)
    return this.#contexts.delete(acpSessionId)
  }

  #handleUpdate(params: unknown): void {
    const context = this.#contextOf(params) ?? this.#contextBeingOpened
    if (context) context.handleUpdate(params)
    else this.#anomalies.count('another_session', '')
  }
}
