/**
 * Reads what a turn used from the answer to its prompt: tokens of `usage`, or of `_meta.quota` with
 * a row for each model, which also counts sub-agents. What is not reported is null, never 0. Pure.
 */
import { type Fields, fieldsOf } from '../../platform/json.ts'
import { hasQuirk } from '../../protocol/agents/known-agents.ts'
import type { AgentUpdate, TurnUsage } from '../../protocol/turns/agent-update.ts'
import { lineOf, listOf, numberOf } from './wire.ts'

/** Agents write the counters in one of these ways. */
const counters = {
  inputTokens: ['inputTokens', 'input_tokens'],
  outputTokens: ['outputTokens', 'output_tokens'],
  cachedTokens: [
    'cachedReadTokens',
    'cachedInputTokens',
    'cached_read_tokens',
    'cached_input_tokens',
    'cached_tokens',
  ],
} as const
type Counter = keyof typeof counters

function countOf(counts: Fields, counter: Counter): number | null {
  for (const name of counters[counter]) {
    const count = numberOf(counts[name])
    if (count !== undefined && count >= 0) return count
  }
  return null
}

type Tokens = Readonly<Record<Counter, number | null>>

/** What came in a turn before the answer to its prompt. */
export class SeenInTurn {
  readonly #calls = new Set<string>()
  #hasCompleted = false
  /**
   * The tokens in the context, as last reported in this turn (`usage_update`): those of the last
   * request.
   */
  used: number | undefined

  note(update: AgentUpdate): void {
    if (update.kind === 'usage') this.used = update.used
    if (update.kind !== 'tool') return
    this.#calls.add(update.call.toolCallId)
    this.#hasCompleted ||= update.call.status === 'completed'
  }

  /**
   * A tool ran, so the model was asked more than once; but not where the turn was ended by the
   * denial of its only call.
   */
  ranTool(answer: unknown): boolean {
    const isCancelled = fieldsOf(answer)['stopReason'] === 'cancelled'
    if (isCancelled && !this.#hasCompleted) return this.#calls.size > 1
    return this.#calls.size > 0
  }
}

/**
 * Some agents answer with the tokens of the last request alone, exactly those of the last
 * `usage_update`. The model reads all of the context at each request, so several requests together
 * have more.
 */
function isOfLastRequest(answer: unknown, seen: SeenInTurn): boolean {
  const { used } = seen
  if (!used || !seen.ranTool(answer)) return false
  const { inputTokens, outputTokens, cachedTokens } = tokensIn(answer)
  const [input, output, cached] = [inputTokens ?? 0, outputTokens ?? 0, cachedTokens ?? 0]
  const whole = numberOf(fieldsOf(fieldsOf(answer)['usage'])['totalTokens'])
  return (
    inputTokens !== null &&
    [input, input + cached, input + output, input + output + cached, whole].includes(used)
  )
}

/**
 * Reads the tokens of each turn of one ACP session. The tokens of a part of the turn are not those
 * of the turn.
 */
export class TurnTokens {
  readonly #agent: string
  readonly #before: Partial<Record<Counter, number>> = {}

  constructor(agent: string) {
    this.#agent = agent
  }

  of(answer: unknown, seen?: SeenInTurn): Tokens {
    const isOfLast =
      hasQuirk(this.#agent, 'usage_of_last_request') ||
      (seen !== undefined && isOfLastRequest(answer, seen))
    const reported = tokensIn(isOfLast ? {} : answer)
    if (!hasQuirk(this.#agent, 'usage_so_far')) return reported
    const since = (counter: Counter): number | null => {
      const [count, earlier] = [reported[counter], this.#before[counter] ?? 0]
      if (count === null) return null
      this.#before[counter] = count
      return count < earlier ? count : count - earlier
    }
    return {
      inputTokens: since('inputTokens'),
      outputTokens: since('outputTokens'),
      cachedTokens: since('cachedTokens'),
    }
  }
}

function tokensIn(answer: unknown): Tokens {
  const { usage, _meta } = fieldsOf(answer)
  const quota = fieldsOf(fieldsOf(_meta)['quota'])
  const ofModels = listOf(quota['model_usage']).map((row) => fieldsOf(row['token_count']))
  const read = (counter: Counter): number | null => {
    const counts = ofModels.flatMap((each) => countOf(each, counter) ?? [])
    if (counts.length > 0) return counts.reduce((sum, count) => sum + count, 0)
    return countOf(fieldsOf(usage), counter) ?? countOf(fieldsOf(quota['token_count']), counter)
  }
  return {
    inputTokens: read('inputTokens'),
    outputTokens: read('outputTokens'),
    cachedTokens: read('cachedTokens'),
  }
}

/** null when the agent reports neither tokens nor a cost. */
export const usageOf = (tokens: Tokens, cost: TurnUsage['cost']): TurnUsage | null =>
  cost === null && Object.values(tokens).every((count) => count === null)
    ? null
    : { ...tokens, cost }

/** The cost of the whole ACP session so far, as `usage_update` tells it. */
export function costSoFar(cost: unknown): NonNullable<TurnUsage['cost']> | null {
  const { amount, currency } = fieldsOf(cost)
  const number = numberOf(amount)
  return number === undefined ? null : { amount: number, currency: lineOf(currency) ?? '' }
}

/**
 * What a turn added to the cost so far. null when it was not told in the turn, not known before, or
 * is in another currency.
 */
export function costBetween(
  before: TurnUsage['cost'],
  after: TurnUsage['cost'],
): TurnUsage['cost'] {
  if (
    !before ||
    !after ||
    before === after ||
    (before.amount !== 0 && before.currency !== after.currency)
  )
    return null
  // Sums of floating-point numbers: nobody counts below a billionth.
  return {
    amount: Math.max(0, Number((after.amount - before.amount).toFixed(9))),
    currency: after.currency,
  }
}
