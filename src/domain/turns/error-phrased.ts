/**
 * Judges whether what an agent presents as its answer is an error of its model (CX12): no words of
 * one vendor, but the form of an HTTP error, and whether the model said anything at all in the
 * turn. What is not sure is said to be probable. Pure.
 */

export interface SaidInTurn {
  /** All text since the last tool call. */
  readonly said: string
  /** Tools ran before, so its model said something in the turn. */
  readonly ranTools: boolean
  /**
   * Tokens that the agent reports of this turn and of the last one in the same context; null: none.
   */
  readonly usage: Tokens | null
  readonly usageBefore: Tokens | null
  /** What a gateway has counted of the turn; null: nothing, or there is none. */
  readonly counted: { readonly outputTokens: number; readonly atLeast: boolean } | null
  /** A gateway has counted what this process asked of its model before. */
  readonly hasGateway: boolean
}

interface Tokens {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/** Longer texts are answers. */
const maxChars = 1500
/** An error says at its beginning what it is. */
const headChars = 240

const code = '[45]\\d\\d'
/** The reason phrases of HTTP, and the names that services give to their errors. */
const reason =
  'bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|request timeout|conflict|payload too large|' +
  'unprocessable|too many requests|internal(?: server)? error|not implemented|bad gateway|service unavailable|gateway time-?out|overloaded'
const named =
  'error|fail(?:ed|ure)?|exception|http|status|code|rejected|refused|responded|returned|response'

const forms: readonly RegExp[] = [
  // HTTP 429, status code 500, error: 401, {"status":503
  new RegExp(
    `\\b(?:${named})\\b["']?(?:[\\s:=("'\\[-]|code|with|of|from|by|the|a|is|was|\\w+_error){0,6}\\b${code}\\b`,
    'i',
  ),
  // 401 Unauthorized, [429] Too Many Requests, 500 error
  new RegExp(
    `\\b${code}\\b["')\\]:,\\s–—-]{0,4}(?:status code\\s*)?\\(?(?:${reason}|error\\b|client error|server error)`,
    'i',
  ),
  // Too many requests (429)
  new RegExp(`(?:${reason})[^\\n]{0,40}\\b${code}\\b`, 'i'),
  // {"type":"rate_limit_error", invalid_api_key
  /["'\s](?:[a-z]+_)+error["'\s]|\binvalid[_ ](?:x-)?api[_ -]?key\b|\bapi key (?:is )?(?:invalid|missing|not valid|expired)/i,
]

/**
 * Begins with an error, after at most a mark and a few words such as "The request to the model".
 */
const beginning = new RegExp(
  `^[^\\p{L}\\d]{0,6}(?:[\\p{L}'’_.,-]+\\s+){0,6}["'\\[({]*(?:error|failed|failure|exception|unable|could ?n[o']t|cannot|http|status|${code}|${reason}|wrong)`,
  'iu',
)

/** `error`: it is one. `probably`: it looks like one, and nothing says that it is an answer. */
export function judgeAnswer({
  said,
  ranTools,
  usage,
  usageBefore,
  counted,
  hasGateway,
}: SaidInTurn): 'error' | 'probably' | 'answer' {
  const text = said.trim()
  const head = text.slice(0, headChars)
  if (text === '' || text.length > maxChars) return 'answer'
  const isWorded = forms.some((form) => form.test(head))
  // The model was asked, and answered nothing: these are not its words.
  const saidNothing = counted !== null && counted.outputTokens === 0 && !counted.atLeast
  if (saidNothing) return isWorded ? 'error' : 'probably'
  if (!isWorded) return 'answer'
  if (ranTools) return beginning.test(head) ? 'probably' : 'answer'
  if (counted !== null && counted.outputTokens > 0) return 'answer'
  if (hasGateway || usage?.outputTokens === 0 || isRepeated(usage, usageBefore)) return 'error'
  if (usage?.outputTokens) return 'answer'
  return beginning.test(head) ? 'probably' : 'answer'
}

/** An agent that has no numbers of this turn may tell the last one's again. */
const isRepeated = (usage: Tokens | null, before: Tokens | null): boolean =>
  usage !== null &&
  before !== null &&
  usage.outputTokens !== null &&
  usage.inputTokens === before.inputTokens &&
  usage.outputTokens === before.outputTokens
