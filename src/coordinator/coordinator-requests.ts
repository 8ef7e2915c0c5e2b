/**
 * What this coordinator is asked (protocol/processes/coordinator-requests.ts): each question once, however often it is told, and its answer as facts, which
 * survive a lost connection. So many at once; the others are told so. Never throws: what goes wrong is the answer.
 */
import type { Logger } from '../platform/logger.ts'
import {
  type Answer,
  Ask,
  type AskedQuestion,
  maxAnswerPart,
  maxAnswerParts,
  maxOpenQuestions,
} from '../protocol/processes/coordinator-requests.ts'
import { statusText } from '../protocol/sentences.ts'
import type { NewFact } from './spool.ts'

/** Of questions that were answered; an old message about one is not taken for a new one. */
const maxRememberedRequests = 1000
/** What is said about something unforeseen. */
const maxErrorChars = 2000

export interface QuestionsOptions {
  readonly answer: (ask: Ask) => Promise<Answer>
  readonly tell: (fact: NewFact) => void
  readonly logger: Logger
}

export class Questions {
  readonly #parts: QuestionsOptions
  readonly #known = new Set<string>()
  #open = 0

  constructor(parts: QuestionsOptions) {
    this.#parts = parts
  }

  asked({ questionId, ask }: AskedQuestion): void {
    if (this.#known.has(questionId)) return
    if (this.#known.size >= maxRememberedRequests) this.#known.delete(this.#known.values().next().value ?? '')
    this.#known.add(questionId)
    void this.#answer(questionId, ask)
  }

  async #answer(questionId: string, ask: unknown): Promise<void> {
    this.#open++
    try {
      this.#tell(questionId, await this.#answerTo(ask))
    } finally {
      this.#open--
    }
  }

  async #answerTo(ask: unknown): Promise<Answer> {
    if (this.#open > maxOpenQuestions) return { ok: false, reason: 'busy', why: statusText('askedTooMuch') }
    const matchStatus = Ask.safeParse(ask)
    if (!matchStatus.success)
      return { ok: false, reason: 'invalid', why: 'The coordinator of this machine does not know how to do that.' }
    try {
      return await this.#parts.answer(matchStatus.data)
    } catch (error) {
      this.#parts.logger.warn({ kind: matchStatus.data.kind, error: String(error) }, 'a question could not be answered')
      return { ok: false, reason: 'git_refused', why: wordsOf(error) }
    }
  }

  #tell(questionId: string, answer: Answer): void {
    const parts = partsOf(JSON.stringify(answer))
    if (parts.length > maxAnswerParts)
      return this.#tell(questionId, { ok: false, reason: 'git_refused', why: 'The answer is too large.' })
    for (const [part, text] of parts.entries())
      this.#parts.tell({ type: 'question-answered', questionId, part, text, last: part === parts.length - 1 })
  }
}

/** Never cut in the middle of a character that takes two units: no store keeps half of one. */
function partsOf(whole: string): string[] {
  const parts: string[] = []
  for (let rest = whole; rest !== ''; rest = rest.slice(parts.at(-1)?.length)) {
    const part = rest.slice(0, maxAnswerPart)
    parts.push(part.isWellFormed() ? part : part.slice(0, -1))
  }
  return parts
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, maxErrorChars)
