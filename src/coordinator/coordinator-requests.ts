/**
 * Runs the server's requests to this coordinator (protocol/processes/coordinator-requests.ts). Each
 * runs once, and its answer is sent as facts, which survive a lost connection. Requests over the
 * limit are refused. Errors become answers.
 */
import type { Logger } from '../platform/log/logger.ts'
import {
  type CoordinatorAnswer,
  CoordinatorRequest,
  maxAnswerPart,
  maxAnswerParts,
  maxOpenRequests,
  type OpenCoordinatorRequest,
  type requestFailures,
} from '../protocol/processes/coordinator-requests.ts'
import {
  cutDetail,
  type Detail,
  detailFields,
  detailOf,
  statusNotice,
} from '../protocol/status-texts.ts'
import { RecentIds } from './link.ts'
import type { NewFact } from './spool.ts'

/** Remembered request ids, so that an old message is not run again. */
const maxRememberedRequests = 1000
const maxErrorChars = 2000

export interface CoordinatorRequestsOptions {
  readonly answer: (ask: CoordinatorRequest) => Promise<CoordinatorAnswer>
  readonly report: (fact: NewFact) => void
  readonly logger: Logger
}

export class CoordinatorRequests {
  readonly #options: CoordinatorRequestsOptions
  readonly #knownRequests = new RecentIds(maxRememberedRequests)
  #open = 0

  constructor(options: CoordinatorRequestsOptions) {
    this.#options = options
  }

  handle({ questionId, ask }: OpenCoordinatorRequest): void {
    if (this.#knownRequests.has(questionId)) return
    this.#knownRequests.add(questionId)
    void this.#run(questionId, ask)
  }

  async #run(questionId: string, ask: unknown): Promise<void> {
    this.#open++
    try {
      this.#report(questionId, await this.#answerTo(ask))
    } finally {
      this.#open--
    }
  }

  async #answerTo(ask: unknown): Promise<CoordinatorAnswer> {
    if (this.#open > maxOpenRequests) return refused('busy', statusNotice('askedTooMuch'))
    const parsed = CoordinatorRequest.safeParse(ask)
    if (!parsed.success) return refused('invalid', statusNotice('requestNotKnown'))
    try {
      return await this.#options.answer(parsed.data)
    } catch (error) {
      this.#options.logger.warn(
        { kind: parsed.data.kind, error: String(error) },
        'request could not be answered',
      )
      return refused('git_refused', cutDetail(detailOf(error), maxErrorChars))
    }
  }

  #report(questionId: string, answer: CoordinatorAnswer): void {
    const parts = partsOf(JSON.stringify(answer))
    if (parts.length > maxAnswerParts)
      return this.#report(questionId, refused('git_refused', statusNotice('answerTooLarge')))
    for (const [part, text] of parts.entries())
      this.#options.report({
        type: 'question-answered',
        questionId,
        part,
        text,
        last: part === parts.length - 1,
      })
  }
}

export const refused = (
  reason: (typeof requestFailures)[number],
  why: Detail,
): CoordinatorAnswer => ({
  ok: false,
  reason,
  ...detailFields('why', why),
})

/** Splits a text into parts, never inside a surrogate pair. */
function partsOf(whole: string): string[] {
  const parts: string[] = []
  for (let rest = whole; rest !== ''; rest = rest.slice(parts.at(-1)?.length)) {
    const part = rest.slice(0, maxAnswerPart)
    parts.push(part.isWellFormed() ? part : part.slice(0, -1))
  }
  return parts
}
