/**
 * Permission requests and questions that wait for a person. Each is reported once under an id of
 * ours, and settled once.
 */
import { randomUUID } from 'node:crypto'
import type { PermissionRequest } from '../protocol/turns/agent-update.ts'
import type { SettledPermission } from '../protocol/turns/link.ts'
import type { Question, QuestionAnswer } from '../protocol/turns/question.ts'
import type { PermissionAnswer } from './acp/permissions.ts'
import type { NewFact, WithoutLaunch } from './spool.ts'

interface PersonRequestsOptions {
  readonly report: (fact: WithoutLaunch<NewFact>) => void
  readonly clean: <Value>(value: Value) => Value
}

type Settled = Pick<SettledPermission, 'optionId' | 'answer'>

export class PersonRequests {
  readonly #options: PersonRequestsOptions
  readonly #open = new Map<string, (settled: Settled | undefined) => void>()

  constructor(options: PersonRequestsOptions) {
    this.#options = options
  }

  async permission(
    turnId: string | undefined,
    request: PermissionRequest,
    withdrawn: AbortSignal,
  ): Promise<PermissionAnswer> {
    const { digest, likeness } = request
    const shown = { ...this.#options.clean(request), digest, likeness }
    const settled = await this.#ask(turnId, withdrawn, (ids) => ({
      type: 'permission-asked',
      ...ids,
      request: shown,
    }))
    if (!settled) return { choose: 'cancelled' }
    return settled.optionId === null ? { choose: 'deny' } : { optionId: settled.optionId }
  }

  async question(
    turnId: string | undefined,
    question: Question,
    withdrawn: AbortSignal,
  ): Promise<QuestionAnswer> {
    const shown = this.#options.clean(question)
    const settled = await this.#ask(turnId, withdrawn, (ids) => ({
      type: 'elicitation-asked',
      ...ids,
      question: shown,
    }))
    return settled?.answer ?? { action: 'cancel', content: null }
  }

  settle({ askId, ...settled }: Settled & { readonly askId: string }): void {
    this.#open.get(askId)?.(settled)
  }

  /**
   * Resolves with the answer; undefined when there is no turn, or when the signal aborts, which
   * withdraws the request.
   */
  async #ask(
    turnId: string | undefined,
    signal: AbortSignal,
    factOf: (ids: { turnId: string; askId: string }) => WithoutLaunch<NewFact>,
  ): Promise<Settled | undefined> {
    if (turnId === undefined) return undefined
    const askId = randomUUID()
    const { promise, resolve } = Promise.withResolvers<Settled | undefined>()
    this.#open.set(askId, resolve)
    const withdraw = (): void => {
      resolve(undefined)
      if (this.#open.delete(askId)) this.#options.report({ type: 'permission-withdrawn', askId })
    }
    signal.addEventListener('abort', withdraw, { once: true })
    this.#options.report(factOf({ turnId, askId }))
    const settled = await promise
    this.#open.delete(askId)
    signal.removeEventListener('abort', withdraw)
    return settled
  }
}
