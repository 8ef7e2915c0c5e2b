/**
 * One context of an agent: an ACP session that runs one prompt at a time. It reports and decides
 * nothing.
 *
 *     idle ──prompt──▶ running ──answer──▶ idle
 *                        │ cancel, and no answer in time
 *                        ▼
 *                      stuck ──late answer──▶ idle        (a stuck agent gets no prompt)
 *
 * Output counts only while a turn is open; replayed and late output is dropped and counted.
 * Commands, modes, options and usage belong to no turn and always count.
 */
import {
  type ClientContext,
  type CreateElicitationResponse,
  methods,
  RequestError,
} from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../platform/json.ts'
import { type Clock, pause } from '../../platform/time/clock.ts'
import { type Detail, statusNotice } from '../../protocol/status-texts.ts'
import type {
  AgentUpdate,
  PermissionRequest,
  TurnUsage,
} from '../../protocol/turns/agent-update.ts'
import type { ConfigChange } from '../../protocol/turns/config-change.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import type { Question, QuestionAnswer } from '../../protocol/turns/question.ts'
import { AcpSessionProbe } from './acp-session-probe.ts'
import { AcpFailure, type AnomalyCounter, isPromptRejected } from './failure.ts'
import {
  callComesMs,
  cancelMs,
  maxOpenQuestions,
  maxReplayBeginsMs,
  maxSettleMs,
  maxTurnText,
  minuteMs,
  settingMs,
  settleMs,
  turnMs,
} from './limits.ts'
import type { AgentFacts, OpenedAcpSession, TimedRequest } from './open-acp-session.ts'
import { outcomeOf, type PermissionAnswer, permissionRequestOf } from './permissions.ts'
import { blockOf } from './prompt-block.ts'
import { elicitationResponse, questionOf } from './questions.ts'
import { Strands } from './strands.ts'
import { ToolCalls } from './tool-calls.ts'
import {
  Compactions,
  MessageBreaks,
  modelOption,
  optionsOf,
  readUpdate,
  replayedKinds,
  UpdateBatcher,
  unknownContentIn,
} from './updates.ts'
import { costBetween, costSoFar, SeenInTurn, TurnTokens, usageOf } from './usage.ts'
import { lineOf } from './wire.ts'

export interface AcpContextOptions {
  readonly agent: ClientContext
  readonly ask: TimedRequest
  readonly clock: Clock
  readonly facts: AgentFacts
  readonly anomalies: AnomalyCounter
  readonly toFailure: (error: unknown, what: Detail) => AcpFailure
  /** Called in order, with small pieces joined. */
  readonly onUpdate: (update: AgentUpdate) => void
  /** The signal aborts when the answer is no longer needed. */
  readonly onPermission: (
    request: PermissionRequest,
    withdrawn: AbortSignal,
  ) => Promise<PermissionAnswer>
  readonly onQuestion: (question: Question, withdrawn: AbortSignal) => Promise<QuestionAnswer>
}

/** How a turn ended. `empty`: without any output. */
export interface TurnEnd {
  readonly outcome: 'answered' | 'cancelled' | 'failed'
  /** As the agent gave it. */
  readonly stopReason: string | null
  readonly error: Detail | null
  readonly usage: TurnUsage | null
  readonly empty: boolean
  /** The agent ignored a cancel, and accepts no prompt until it answers this one. */
  readonly cancelIgnored: boolean
  /** The agent rejected the prompt without any output: the turn did not run. */
  readonly promptRejected: boolean
  /** The agent says that it was cancelled, and nobody has cancelled it. */
  readonly unasked: boolean
}

const whole = { cancelIgnored: false, promptRejected: false, unasked: false }
const begun = { open: true, cancelled: false, chars: 0, hasOutput: false }
const plainEnd = { ...whole, stopReason: null, error: null, usage: null }

interface Turn {
  open: boolean
  cancelled: boolean
  timedOutAfterMs?: number
  chars: number
  hasOutput: boolean
  readonly seen: SeenInTurn
  readonly questions: Set<AbortController>
  /** Ends the wait for an agent that ignores a cancel. */
  readonly giveUp: PromiseWithResolvers<'gave up'>
}

export class AcpContext {
  readonly #options: AcpContextOptions
  readonly #batcher: UpdateBatcher
  readonly #calls: ToolCalls
  readonly #tokens: TurnTokens
  readonly #compactions = new Compactions()
  readonly #strands = new Strands()
  readonly #messages = new MessageBreaks()
  /** Ends a question about an address when the agent says that the visit is over. */
  readonly #visits = new Map<string, () => void>()
  /** Calls that an agent asks about and has not told yet. */
  readonly #awaited = new Map<string, () => void>()
  #acpSessionId: string | undefined
  #turn: Turn | undefined
  #stuck = false
  #lastUpdateAt = 0
  /** The error with which the agent answered the last prompt. */
  #failedWith: RequestError | undefined
  /** What comes is what was said before. */
  isReplaying = false
  #hasReplayed = false
  /**
   * Cost of the whole ACP session, as last reported; null: not known, as after a restart of the
   * agent.
   */
  #cost: TurnUsage['cost'] = null
  readonly #probe: AcpSessionProbe

  constructor(options: AcpContextOptions) {
    this.#options = options
    this.#batcher = new UpdateBatcher(options.clock, options.onUpdate)
    this.#tokens = new TurnTokens(options.facts.name)
    this.#calls = new ToolCalls({ agent: options.facts.name, now: () => options.clock.now() })
    this.#probe = new AcpSessionProbe(options)
  }

  /** Sets what the agent opened. A new session has cost nothing. */
  setOpened(opened: OpenedAcpSession): void {
    this.#acpSessionId = opened.acpSessionId
    this.#probe.setOpened(opened)
    if (opened.how === 'new') this.#cost ??= { amount: 0, currency: '' }
  }

  /**
   * CX7: how the session fails at a request that changes nothing, after a turn that failed alike or
   * said nothing; null: it works.
   */
  whyBroken({ outcome, empty }: TurnEnd): Promise<Detail | null> {
    const failed = this.#failedWith
    if (outcome === 'failed' && failed) return this.#probe.failsLike(failed)
    return outcome === 'answered' && empty ? this.#probe.failsTwice() : Promise.resolve(null)
  }

  /** Runs one prompt. Rejects when one is running, or when the agent exits before it answers. */
  async prompt(parts: readonly PromptPart[], withinMs = turnMs): Promise<TurnEnd> {
    if (this.#turn || this.#stuck) throw new AcpFailure('busy', statusNotice('turnNotGivenBack'))
    const prompt = parts.map((part) => blockOf(part, this.#options.facts.abilities))
    const request = { sessionId: this.#currentId(), prompt }
    const giveUp = Promise.withResolvers<'gave up'>()
    const turn: Turn = { ...begun, seen: new SeenInTurn(), questions: new Set(), giveUp }
    this.#turn = turn
    const costBefore = this.#cost
    const maxMs = Math.min(withinMs, turnMs)
    const stopWaiting = this.#options.clock.after(maxMs, () => {
      if (!turn.cancelled) turn.timedOutAfterMs = maxMs
      this.cancel()
    })
    const response = this.#options.agent.request(methods.agent.session.prompt, request)
    this.#failedWith = undefined
    try {
      const answer = await Promise.race([response, giveUp.promise])
      if (answer === 'gave up') return this.#markStuck(turn, response)
      if (turn.timedOutAfterMs !== undefined) return timedOut(turn, turn.timedOutAfterMs)
      const stopReason = lineOf(fieldsOf(answer)['stopReason']) ?? null
      const outcome = turn.cancelled || stopReason === 'cancelled' ? 'cancelled' : 'answered'
      const usage = usageOf(this.#tokens.of(answer, turn.seen), costBetween(costBefore, this.#cost))
      const unasked = outcome === 'cancelled' && !turn.cancelled
      return { ...plainEnd, outcome, stopReason, usage, unasked, empty: !turn.hasOutput }
    } catch (error) {
      const failure = this.#options.toFailure(error, statusNotice('thePrompt'))
      if (failure.code === 'ended' || failure.code === 'flooded') throw failure
      if (turn.timedOutAfterMs !== undefined) return timedOut(turn, turn.timedOutAfterMs)
      const outcome = turn.cancelled ? 'cancelled' : 'failed'
      if (error instanceof RequestError) this.#failedWith = error
      const promptRejected = outcome === 'failed' && !turn.hasOutput && isPromptRejected(error)
      const usage = usageOf(this.#tokens.of(undefined), costBetween(costBefore, this.#cost))
      return {
        ...plainEnd,
        outcome,
        error: failure.detail,
        usage,
        empty: !turn.hasOutput,
        promptRejected,
      }
    } finally {
      stopWaiting()
      this.closeTurn()
      this.#turn = undefined
    }
  }

  /** Asks the agent to stop. The turn ends with its answer or after a time limit. */
  cancel(): void {
    const turn = this.#turn
    if (!turn || turn.cancelled) return
    turn.cancelled = true
    for (const question of turn.questions) question.abort()
    const notification = { sessionId: this.#currentId() }
    void this.#options.agent.notify(methods.agent.session.cancel, notification).catch(() => {})
    this.#options.clock.after(cancelMs, () => turn.giveUp.resolve('gave up'))
  }

  /** Agents confirm a setting by an update, by their answer, or not at all. */
  async configure(change: ConfigChange): Promise<void> {
    const { setMode, setConfigOption } = methods.agent.session
    const set = (method: string, fields: object) =>
      this.#options.ask(method, { sessionId: this.#currentId(), ...fields }, settingMs)
    if ('modeId' in change) {
      await set(setMode, change)
      return this.#probe.note({ kind: 'mode', modeId: change.modeId })
    }
    const { optionId, value } = change
    if (optionId === modelOption) return void (await set('session/set_model', { modelId: value }))
    const given = typeof value === 'boolean' ? { type: 'boolean', value } : { value }
    const { configOptions } = await set(setConfigOption, { configId: optionId, ...given })
    if (!Array.isArray(configOptions)) return
    const update: AgentUpdate = { kind: 'options', options: optionsOf(configOptions) }
    this.#probe.note(update)
    this.#options.onUpdate(update)
  }

  handleUpdate(params: unknown): void {
    this.#lastUpdateAt = this.#options.clock.now()
    const turn = this.#turn?.open ? this.#turn : undefined
    const read = readUpdate(params, this.#calls, this.#compactions)
    const sent = fieldsOf(fieldsOf(params)['update'])
    if (this.isReplaying && replayedKinds.has(sent['sessionUpdate'])) this.#hasReplayed = true
    this.#cost = costSoFar(sent['cost']) ?? this.#cost
    for (const kind of unknownContentIn(sent))
      this.#options.anomalies.count('unknown_content', kind, 0, sent)
    if (read === undefined)
      return this.#options.anomalies.count(
        'unknown_update',
        lineOf(sent['sessionUpdate']) ?? '',
        0,
        sent,
      )
    if (read === null) return
    if (read.inTurn && !turn) {
      if (!this.isReplaying) this.#options.anomalies.count('outside_of_turn', read.update.kind)
      return
    }
    if (turn && read.inTurn && !this.#countText(turn, read.update))
      return this.#options.anomalies.count('turn_too_long', read.update.kind)
    const { update, changed } = this.#strands.apply(sent, read.update)
    turn?.seen.note(update)
    this.#probe.note(update)
    const isText = update.kind === 'text' || update.kind === 'thought'
    this.#batcher.add(
      isText
        ? { ...update, text: this.#messages.apply(update.kind, update.text, sent['messageId']) }
        : update,
    )
    for (const strand of changed) this.#batcher.add({ kind: 'strand', strand })
    if (update.kind !== 'tool') return
    this.#awaited.get(update.call.toolCallId)?.()
    this.#sendOutputs(update.call.toolCallId)
  }

  /** Sends the whole output of a call that is over; without an id, of all calls. */
  #sendOutputs(toolCallId?: string): void {
    for (const output of this.#calls.wholeOutputs(toolCallId)) this.#batcher.add(output)
  }

  #countText(turn: Turn, update: AgentUpdate): boolean {
    if (update.kind === 'text' || update.kind === 'thought') turn.chars += update.text.length
    if (update.kind !== 'thought') turn.hasOutput = true
    return turn.chars <= maxTurnText
  }

  /** Flushes pending updates and stops accepting more for this turn. */
  closeTurn(): void {
    const turn = this.#turn
    if (!turn?.open) return
    turn.open = false
    for (const question of turn.questions) question.abort()
    this.#sendOutputs()
    this.#batcher.flush()
    this.#calls.clear()
    this.#compactions.clear()
    this.#strands.clear()
    this.#messages.clear()
  }

  #markStuck(turn: Turn, response: Promise<unknown>): TurnEnd {
    this.#stuck = true
    this.#options.anomalies.count('cancel_ignored', '')
    const back = (): void => {
      this.#stuck = false
      this.#options.anomalies.count('late_answer', '')
    }
    response.then(back, back)
    if (turn.timedOutAfterMs !== undefined)
      return { ...timedOut(turn, turn.timedOutAfterMs), cancelIgnored: true }
    return { ...plainEnd, outcome: 'cancelled', empty: !turn.hasOutput, cancelIgnored: true }
  }

  /** Whether a turn runs, in which its agent may ask. */
  get isInTurn(): boolean {
    return this.#turn?.open ?? false
  }

  async askPermission(
    params: unknown,
    withdrawn: AbortSignal,
  ): Promise<{ outcome: ReturnType<typeof outcomeOf> }> {
    const turn = this.#turn
    // The turn is over, so nobody would decide.
    if (!turn?.open || turn.cancelled) return { outcome: { outcome: 'cancelled' } }
    await this.#callOf(params)
    if (!turn.open || turn.cancelled) return { outcome: { outcome: 'cancelled' } }
    const request = permissionRequestOf(params, this.#calls)
    if (!request) throw RequestError.invalidParams(undefined, 'this cannot be shown to a person')
    const { options, call } = request
    if (this.#hasTooManyQuestions(turn, call.title))
      return { outcome: outcomeOf({ choose: 'deny' }, options) }
    const answer = await this.#askPerson(turn, withdrawn, (signal) =>
      this.#options.onPermission(request, signal),
    )
    this.#calls.allowed(call.toolCallId)
    return { outcome: outcomeOf(answer ?? { choose: 'cancelled' }, options) }
  }

  /**
   * AP9: the call may come right after the question about it; what is compared must not depend on
   * which came first.
   */
  async #callOf(params: unknown): Promise<void> {
    const toolCallId = lineOf(fieldsOf(fieldsOf(params)['toolCall'])['toolCallId'])
    if (!toolCallId || this.#calls.has(toolCallId)) return
    const { promise: came, resolve } = Promise.withResolvers<void>()
    this.#awaited.set(toolCallId, resolve)
    await Promise.race([came, pause(this.#options.clock, callComesMs)])
    this.#awaited.delete(toolCallId)
  }

  async askQuestion(params: unknown, withdrawn: AbortSignal): Promise<CreateElicitationResponse> {
    const turn = this.#turn
    if (!turn?.open || turn.cancelled) return { action: 'cancel' }
    const read = questionOf(params)
    if (!read) throw RequestError.invalidParams(undefined, 'this cannot be shown to a person')
    const { question, visitId } = read
    if (this.#hasTooManyQuestions(turn, question.message)) return { action: 'cancel' }
    const visit = Promise.withResolvers<QuestionAnswer>()
    if (visitId !== undefined)
      this.#visits.set(visitId, () => visit.resolve({ action: 'accept', content: null }))
    try {
      const ask = (signal: AbortSignal) =>
        Promise.race([this.#options.onQuestion(question, signal), visit.promise])
      const answer = await this.#askPerson(turn, withdrawn, ask)
      return answer ? elicitationResponse(answer) : { action: 'cancel' }
    } finally {
      if (visitId !== undefined) this.#visits.delete(visitId)
    }
  }

  /** The agent says that what a person did at an address is done. */
  completeVisit(visitId: string): void {
    this.#visits.get(visitId)?.()
  }

  #hasTooManyQuestions(turn: Turn, sample: string): boolean {
    if (turn.questions.size < maxOpenQuestions) return false
    this.#options.anomalies.count('too_many_questions', sample)
    return true
  }

  /**
   * Resolves with the answer; undefined when the agent or the end of the turn withdraws the
   * question.
   */
  async #askPerson<Answer>(
    turn: Turn,
    withdrawn: AbortSignal,
    ask: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    this.#batcher.flush()
    const open = new AbortController()
    const withdraw = (): void => open.abort()
    withdrawn.addEventListener('abort', withdraw, { once: true })
    turn.questions.add(open)
    const over = new Promise<undefined>((resolve) => {
      open.signal.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    try {
      return await Promise.race([ask(open.signal), over])
    } finally {
      withdrawn.removeEventListener('abort', withdraw)
      turn.questions.delete(open)
      // Withdraws what was settled in another way.
      open.abort()
    }
  }

  /**
   * Waits until replayed updates stop, which may begin after the answer to a load. Resolves with
   * whether anything was replayed.
   */
  async waitForReplay(): Promise<boolean> {
    const { clock } = this.#options
    for (let waited = 0; !this.#hasReplayed && waited < maxReplayBeginsMs; waited += settleMs)
      await pause(clock, settleMs)
    for (
      let waited = 0;
      waited < maxSettleMs && clock.now() - this.#lastUpdateAt < settleMs;
      waited += settleMs
    )
      await pause(clock, settleMs)
    return this.#hasReplayed
  }

  #currentId(): string {
    if (this.#acpSessionId === undefined) throw new Error('Nothing was opened')
    return this.#acpSessionId
  }
}

function timedOut({ hasOutput }: Turn, ms: number): TurnEnd {
  const error =
    ms < minuteMs
      ? statusNotice('turnTooLong', { seconds: ms / 1000 })
      : statusNotice('turnTooLongMinutes', { minutes: Math.round(ms / minuteMs) })
  return { ...plainEnd, outcome: 'failed', stopReason: 'took_too_long', error, empty: !hasOutput }
}
