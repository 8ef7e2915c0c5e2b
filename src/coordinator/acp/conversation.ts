/**
 * One conversation with one agent over its standard input and output (AC1-AC4): it is opened once, then takes one prompt at a time.
 * It reports, and decides nothing: which prompt is next, what a person allows and when the process has to go is for others.
 *
 *     opening ──▶ idle ──prompt──▶ running ──answer──▶ idle
 *                                     │ cancel, and no answer in time
 *                                     ▼
 *                                   stuck ──late answer──▶ idle        (a stuck agent is told nothing new)
 *
 * What it says counts only while a turn is open: what is replayed after a load, and what comes late, is dropped and counted. Commands, modes,
 * options and usage are about no turn and always count.
 */
import type { Readable, Writable } from 'node:stream'
import { type ClientConnection, client, methods, RequestError } from '@agentclientprotocol/sdk'
import type { Clock } from '../../platform/clock.ts'
import type { AgentUpdate, PermissionRequest } from '../../protocol/agent-update.ts'
import type { ConfigChange } from '../../protocol/config-change.ts'
import type { PromptPart } from '../../protocol/prompt.ts'
import { say } from '../../protocol/sentences.ts'
import { AcpFailure, failureOf } from './failure.ts'
import { cancelMs, maxOpenQuestions, maxSettleMs, maxTurnText, minuteMs, settingMs, settleMs, turnMs } from './limits.ts'
import { type AgentFacts, initialize, type Opened, type OpeningParts, openNew, openOld, type Place } from './opening.ts'
import { outcomeOf, type PermissionAnswer, questionOf } from './permissions.ts'
import { Pieces } from './pieces.ts'
import { contentOf } from './prompt.ts'
import { fieldsOf, lineOf } from './shown.ts'
import { ToolCalls } from './tool-calls.ts'
import { type Trouble, Troubles } from './troubles.ts'
import { modelOption, optionsOf, readUpdate } from './updates.ts'
import { Wire } from './wire.ts'

export interface ConversationParts {
  /** The agent's standard output. */
  readonly from: Readable
  /** The agent's standard input. */
  readonly to: Writable
  readonly clock: Clock
  /** Ours, for the handshake. */
  readonly version: string
  /** In order, joined to few pieces. */
  readonly onUpdate: (update: AgentUpdate) => void
  /** The signal says that nobody waits for the answer any more. */
  readonly onPermission: (request: PermissionRequest, withdrawn: AbortSignal) => Promise<PermissionAnswer>
  /** Something was wrong and was left out; told when it happens first, and again when it has become ten times as much. */
  readonly onTrouble: (trouble: Trouble) => void
  /** While what it gives is pending nothing more is read of the agent. */
  readonly room?: () => Promise<void> | undefined
}

/** How a turn ended. A model's error may come as any of them; one without a word is `empty`. */
export interface TurnEnd {
  readonly outcome: 'answered' | 'cancelled' | 'failed'
  /** The agent's word; null when it gave none. */
  readonly stopReason: string | null
  readonly error: string | null
  readonly empty: boolean
  /** The agent was told to stop and did not; it takes no prompt until it gives this one back. */
  readonly cancelIgnored: boolean
}

interface Turn {
  open: boolean
  cancelled: boolean
  /** It took longer than this, and is stopped for it. */
  tookMs: number | undefined
  chars: number
  hasShown: boolean
  readonly questions: Set<AbortController>
  /** Ends the wait for an agent that does not stop. */
  readonly giveUp: PromiseWithResolvers<'gave up'>
}

export class AcpConversation {
  readonly #parts: ConversationParts
  readonly #connection: ClientConnection
  readonly #wire: Wire
  readonly #pieces: Pieces
  readonly #troubles: Troubles
  readonly #calls = new ToolCalls()
  #facts: AgentFacts | undefined
  #acpSessionId: string | undefined
  #turn: Turn | undefined
  #stuck = false
  #lastUpdateAt = 0

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.#troubles = new Troubles(parts.onTrouble)
    this.#pieces = new Pieces(parts.clock, parts.onUpdate)
    this.#wire = new Wire({
      from: parts.from,
      to: parts.to,
      clock: parts.clock,
      room: parts.room,
      onUpdate: (params) => this.#hear(params),
      onAnswered: (method) => {
        if (method === methods.agent.session.prompt) this.#closeTurn()
      },
      onNoise: (noise, bytes, sample) => this.#troubles.note(noise, sample, bytes),
    })
    const { requestPermission } = methods.client.session
    this.#connection = client({ name: 'holdfast' })
      .onRequest(requestPermission, fieldsOf, ({ params, signal }) => this.#permission(params, signal))
      // AC2: files and terminals are the agent's own, and what we do not know harms nobody.
      .onRequest('*', ({ method }) => {
        this.#troubles.note('refused_request', method)
        throw RequestError.methodNotFound(method)
      })
      .connect(this.#wire.stream)
  }

  /** Resolves when the agent has closed its side, or we ours. */
  get ended(): Promise<void> {
    return this.#connection.closed
  }

  async initialize(): Promise<AgentFacts> {
    this.#facts = await initialize(this.#opening())
    return this.#facts
  }

  async open(place: Place): Promise<Opened> {
    return this.#remember(await openNew(this.#opening(), this.#known(), place))
  }

  /** How long `reopen` waits before it asks, for an agent that would damage its record. */
  waitsBeforeLoad(openedAt: number): number {
    const facts = this.#known()
    if (!facts.canLoad || !loadsOncePerMinute(facts)) return 0
    const nextMinute = (Math.floor(openedAt / minuteMs) + 1) * minuteMs
    return Math.max(0, Math.min(minuteMs, nextMinute - this.#parts.clock.now()))
  }

  /** AC4: an old one brought back, with what is replayed thrown away. `openedAt` is when it was opened last. */
  async reopen(place: Place, acpSessionId: string, openedAt: number): Promise<Opened> {
    const facts = this.#known()
    const waitMs = this.waitsBeforeLoad(openedAt)
    if (waitMs > 0) await new Promise<void>((resolve) => this.#parts.clock.after(waitMs, resolve))
    this.#acpSessionId = acpSessionId
    const opened = this.#remember(await openOld(this.#opening(), facts, place, acpSessionId))
    if (opened.how === 'loaded') await this.#settle()
    return opened
  }

  /** One at a time: whoever has more keeps them in line. Rejects when the agent is gone before it has answered. */
  async prompt(parts: readonly PromptPart[], withinMs = turnMs): Promise<TurnEnd> {
    if (this.#turn || this.#stuck) throw new AcpFailure('busy', say('turnNotGivenBack'))
    const request = { sessionId: this.#currentId(), prompt: contentOf(parts, this.#known()) }
    const giveUp = Promise.withResolvers<'gave up'>()
    const turn: Turn = {
      open: true,
      cancelled: false,
      tookMs: undefined,
      chars: 0,
      hasShown: false,
      questions: new Set(),
      giveUp,
    }
    this.#turn = turn
    const mostMs = Math.min(withinMs, turnMs)
    const stopWaiting = this.#parts.clock.after(mostMs, () => {
      if (!turn.cancelled) turn.tookMs = mostMs
      this.cancel()
    })
    const asked = this.#connection.agent.request(methods.agent.session.prompt, request)
    try {
      const answer = await Promise.race([asked, giveUp.promise])
      if (answer === 'gave up') return this.#leaveStuck(turn, asked)
      if (turn.tookMs !== undefined) return tookTooLong(turn, turn.tookMs)
      const stopReason = lineOf(fieldsOf(answer)['stopReason']) ?? null
      const outcome = turn.cancelled || stopReason === 'cancelled' ? 'cancelled' : 'answered'
      return { outcome, stopReason, error: null, empty: !turn.hasShown, cancelIgnored: false }
    } catch (error) {
      const failure = failureOf(error, say('thePrompt'))
      if (failure.code === 'ended' || failure.code === 'flooded') throw failure
      if (turn.tookMs !== undefined) return tookTooLong(turn, turn.tookMs)
      const outcome = turn.cancelled ? 'cancelled' : 'failed'
      return { outcome, stopReason: null, error: failure.message, empty: !turn.hasShown, cancelIgnored: false }
    } finally {
      stopWaiting()
      this.#closeTurn()
      this.#turn = undefined
    }
  }

  /** Asks the agent to stop. The turn ends by its answer, or, when it ignores us, by our patience. */
  cancel(): void {
    const turn = this.#turn
    if (!turn || turn.cancelled) return
    turn.cancelled = true
    for (const question of turn.questions) question.abort()
    const notification = { sessionId: this.#currentId() }
    void this.#connection.agent.notify(methods.agent.session.cancel, notification).catch(() => {})
    this.#parts.clock.after(cancelMs, () => turn.giveUp.resolve('gave up'))
  }

  /** Some say by an update what is set then, some by their answer, some not at all. */
  async configure(change: ConfigChange): Promise<void> {
    const { setMode, setConfigOption } = methods.agent.session
    const acpSessionId = this.#currentId()
    const { agent } = this.#connection
    if ('modeId' in change) {
      const request = { sessionId: acpSessionId, modeId: change.modeId }
      await this.#ask(setMode, () => agent.request(setMode, request), settingMs)
      return
    }
    const { optionId, value } = change
    if (optionId === modelOption) {
      const request = { sessionId: acpSessionId, modelId: value }
      await this.#ask(setModel, () => agent.request(setModel, request), settingMs)
      return
    }
    const given = typeof value === 'boolean' ? ({ type: 'boolean', value } as const) : { value }
    const request = { sessionId: acpSessionId, configId: optionId, ...given }
    const answer = fieldsOf(await this.#ask(setConfigOption, () => agent.request(setConfigOption, request), settingMs))
    if (Array.isArray(answer['configOptions']))
      this.#parts.onUpdate({ kind: 'options', options: optionsOf(answer['configOptions']) })
  }

  /** Closes our side; many agents go then, and the others have to be ended. */
  close(): void {
    this.#closeTurn()
    this.#connection.close()
    this.#wire.close()
  }

  #opening(): OpeningParts {
    const ask: OpeningParts['ask'] = (method, ask, limitMs) => this.#ask(method, ask, limitMs)
    return { agent: this.#connection.agent, ask, version: this.#parts.version }
  }

  async #ask<Answer>(what: string, ask: () => Promise<Answer>, limitMs: number): Promise<Answer> {
    const late = Promise.withResolvers<never>()
    const words = say('noAnswerWithin', { what, seconds: limitMs / 1000 })
    const stopWaiting = this.#parts.clock.after(limitMs, () => late.reject(new AcpFailure('timeout', words)))
    try {
      return await Promise.race([ask(), late.promise])
    } catch (error) {
      throw failureOf(error, what)
    } finally {
      stopWaiting()
    }
  }

  #known(): AgentFacts {
    if (!this.#facts) throw new Error('The agent was not greeted')
    return this.#facts
  }

  #currentId(): string {
    if (this.#acpSessionId === undefined) throw new Error('Nothing was opened')
    return this.#acpSessionId
  }

  #remember(opened: Opened): Opened {
    this.#acpSessionId = opened.acpSessionId
    return opened
  }

  #hear(params: unknown): void {
    this.#lastUpdateAt = this.#parts.clock.now()
    const about = fieldsOf(params)['sessionId']
    if (this.#acpSessionId !== undefined && about !== this.#acpSessionId) return this.#troubles.note('another_session', '')
    const turn = this.#turn?.open ? this.#turn : undefined
    const read = readUpdate(params, this.#calls)
    if (read === undefined)
      return this.#troubles.note('unknown_update', lineOf(fieldsOf(fieldsOf(params)['update'])['sessionUpdate']) ?? '')
    if (read === null) return
    if (read.inTurn && !turn) return this.#troubles.note('outside_of_turn', read.update.kind)
    if (turn && read.inTurn && !this.#fits(turn, read.update)) return this.#troubles.note('turn_too_long', read.update.kind)
    this.#pieces.add(read.update)
  }

  #fits(turn: Turn, update: AgentUpdate): boolean {
    if (update.kind === 'text' || update.kind === 'thought') turn.chars += update.text.length
    if (update.kind !== 'thought') turn.hasShown = true
    return turn.chars <= maxTurnText
  }

  /** Nothing more belongs to it; what waits leaves first. */
  #closeTurn(): void {
    const turn = this.#turn
    if (!turn?.open) return
    turn.open = false
    for (const question of turn.questions) question.abort()
    this.#pieces.flush()
    this.#calls.clear()
  }

  #leaveStuck(turn: Turn, asked: Promise<unknown>): TurnEnd {
    this.#stuck = true
    this.#troubles.note('cancel_ignored', '')
    const back = (): void => {
      this.#stuck = false
      this.#troubles.note('late_answer', '')
    }
    asked.then(back, back)
    if (turn.tookMs !== undefined) return { ...tookTooLong(turn, turn.tookMs), cancelIgnored: true }
    return { outcome: 'cancelled', stopReason: null, error: null, empty: !turn.hasShown, cancelIgnored: true }
  }

  async #permission(params: unknown, withdrawn: AbortSignal): Promise<{ outcome: ReturnType<typeof outcomeOf> }> {
    const turn = this.#turn
    const about = fieldsOf(params)['sessionId']
    // Asked about a turn that is over, or over and over: there is nobody to decide.
    if (!turn?.open || turn.cancelled || about !== this.#acpSessionId) return { outcome: { outcome: 'cancelled' } }
    const question = questionOf(params, this.#calls)
    if (!question) throw RequestError.invalidParams(undefined, 'this cannot be shown to a person')
    if (turn.questions.size >= maxOpenQuestions) {
      this.#troubles.note('too_many_questions', question.call.title)
      return { outcome: outcomeOf({ choose: 'deny' }, question.options) }
    }
    this.#pieces.flush()
    const open = new AbortController()
    const withdraw = (): void => open.abort()
    withdrawn.addEventListener('abort', withdraw, { once: true })
    turn.questions.add(open)
    const over = new Promise<PermissionAnswer>((resolve) => {
      open.signal.addEventListener('abort', () => resolve({ choose: 'cancelled' }), { once: true })
    })
    try {
      const answer = await Promise.race([this.#parts.onPermission(question, open.signal), over])
      return { outcome: outcomeOf(answer, question.options) }
    } finally {
      withdrawn.removeEventListener('abort', withdraw)
      turn.questions.delete(open)
    }
  }

  /** Replay may go on after the answer to a load: waits until it is silent. */
  async #settle(): Promise<void> {
    const { clock } = this.#parts
    for (let waited = 0; waited < maxSettleMs && clock.now() - this.#lastUpdateAt < settleMs; waited += settleMs)
      await new Promise<void>((resolve) => clock.after(settleMs, resolve))
  }
}

/** Nobody has cancelled it: who waits is told why there is no more. */
function tookTooLong({ hasShown }: Turn, ms: number): TurnEnd {
  const time = ms < minuteMs ? `${ms / 1000} s` : `${Math.round(ms / minuteMs)} min`
  const error = `The turn took longer than ${time}, the most that is set for one, and was stopped.`
  return { outcome: 'failed', stopReason: null, error, empty: !hasShown, cancelIgnored: false }
}

/** Of agents that offer their models apart from their options, as it was before options had a category for them. */
const setModel = 'session/set_model'

/** Observed with this one: its record is named after the minute, and a load in the same minute writes over it. */
const loadsOncePerMinute = ({ name }: AgentFacts): boolean => name === 'gemini-cli'
