/**
 * Counts what a model's answer used (GW4), as it passes: Anthropic's messages, OpenAI's responses
 * and chat, Gemini, and services that speak like them. Reads event streams line by line, keeps the
 * first and the newest line with numbers, and parses both at the end.
 */
import { type Fields, fieldsOf, parsedJson } from '../../platform/json.ts'
import { numberOf } from '../acp/wire.ts'

export const nothingUsed = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }

/**
 * `finished`: the answer was whole and told its numbers: they are exact. Otherwise at least so much
 * was used.
 */
export type Counted = Readonly<typeof nothingUsed> & { readonly finished: boolean }

/**
 * Limit for one line of an event stream, and for an answer that is not a stream. A longer one is
 * not counted.
 */
const maxCountedBytes = 32 * 1024 * 1024

/**
 * In every form, a line with numbers has one of these. Inside a text a quotation mark is escaped,
 * so none is found there.
 */
const numbers = Buffer.from('_tokens"')
const geminiNumbers = Buffer.from('"usageMetadata"')
/** The end of a stream, where it is not the line with the numbers. */
const stops = {
  messages: Buffer.from('message_stop"'),
  completions: Buffer.from('[DONE]'),
} as const
const stopLine =
  /^(data:\s*\[DONE\]|event:\s*message_stop|data:\s*\{"type":\s*"message_stop".*)\s*$/
const maxStopLine = 200
/** Parts of a line with numbers that may be the last one. */
const lastHints = ['response.', '"finishReason"']
const lastTypes = new Set(['response.completed', 'response.incomplete', 'response.failed'])

export class UsageCounter {
  readonly #isStream: boolean
  #pieces: Buffer[] = []
  #pieceBytes = 0
  #tooLong = false
  #first: Buffer | undefined
  #newest: Buffer | undefined
  #hasStopped = false
  #mayBeLast = false

  readonly #numbers: Buffer
  readonly #stop: Buffer | undefined

  /** The form is known by the end of the path. Each search costs time for each piece of text. */
  constructor(path: string, contentType: string | undefined) {
    this.#numbers = /:\w+$/.test(path) ? geminiNumbers : numbers
    if (path.endsWith('/messages')) this.#stop = stops.messages
    if (path.endsWith('completions')) this.#stop = stops.completions
    this.#isStream = contentType?.startsWith('text/event-stream') ?? false
  }

  read(chunk: Buffer): void {
    if (!this.#isStream) return this.#keep(chunk)
    const end = chunk.at(-1) === 10 ? chunk.length : chunk.lastIndexOf(10) + 1
    if (end > 0) {
      let whole = chunk
      if (this.#pieces.length > 0) whole = Buffer.concat([...this.#pieces, chunk.subarray(0, end)])
      else if (end < chunk.length) whole = chunk.subarray(0, end)
      this.#pieces = []
      this.#pieceBytes = 0
      this.#lines(whole)
    }
    if (end < chunk.length) this.#keep(chunk.subarray(end))
  }

  /** The stream has told everything, and may be reported before its end is passed on. */
  get isOver(): boolean {
    if (this.#mayBeLast) this.#hasStopped ||= isLast(valueIn(this.#newest, true))
    this.#mayBeLast = false
    return this.#hasStopped
  }

  /** `isWhole`: the answer ended by itself. */
  end(isWhole: boolean): Counted {
    if (!this.#isStream) this.#newest = Buffer.concat(this.#pieces)
    else if (this.#pieces.length > 0) this.#lines(Buffer.concat(this.#pieces))
    this.#pieces = []
    const last = valueIn(this.#newest, this.#isStream)
    const usage = { ...usageIn(valueIn(this.#first, this.#isStream)), ...usageIn(last) }
    const isOver = this.#isStream
      ? this.#hasStopped || isLast(last) || (isWhole && 'choices' in last)
      : isWhole
    return {
      ...countsOf(usage),
      finished: isOver && !this.#tooLong && Object.keys(usage).length > 0,
    }
  }

  #keep(piece: Buffer): void {
    this.#pieceBytes += piece.length
    if (this.#pieceBytes > maxCountedBytes) {
      this.#tooLong = true
      this.#pieces = []
    } else this.#pieces.push(piece)
  }

  #lines(whole: Buffer): void {
    for (const line of linesWith(this.#numbers, whole)) this.#keepNumbers(line)
    if (!this.#stop) return
    for (const line of linesWith(this.#stop, whole))
      this.#hasStopped ||= line.length < maxStopLine && stopLine.test(line.toString('latin1'))
  }

  #keepNumbers(line: Buffer): void {
    if (this.#numbers !== geminiNumbers && !line.includes('"usage"')) return
    // A copy, because a chunk is large.
    this.#newest = Buffer.from(line)
    this.#first ??= this.#newest
    this.#mayBeLast = lastHints.some((hint) => line.includes(hint))
  }
}

function* linesWith(mark: Buffer, whole: Buffer): Generator<Buffer> {
  for (let at = whole.indexOf(mark); at >= 0; ) {
    const next = whole.indexOf(10, at)
    const end = next < 0 ? whole.length : next
    yield whole.subarray(whole.lastIndexOf(10, at) + 1, end)
    at = whole.indexOf(mark, end)
  }
}

function valueIn(line: Buffer | undefined, isEvent: boolean): Fields {
  const text = line?.toString('utf8') ?? ''
  const parsed = parsedJson(isEvent ? text.replace(/^data:/, '') : text)
  // Gemini without `alt=sse`: a list of chunks.
  return fieldsOf(Array.isArray(parsed) ? parsed.at(-1) : parsed)
}

/** Where the forms have their numbers. What a line leaves out, or has as null, stays as it was. */
function usageIn({ usage, usageMetadata, message, response }: Fields): Fields {
  const inside = fieldsOf(response)
  const found = [
    usage,
    usageMetadata,
    fieldsOf(message)['usage'],
    inside['usage'],
    inside['usageMetadata'],
  ]
    .map(fieldsOf)
    .find((each) => Object.keys(each).length > 0)
  return Object.fromEntries(Object.entries(found ?? {}).filter(([, value]) => value !== null))
}

const isLast = ({ type, candidates, response }: Fields): boolean =>
  lastTypes.has(String(type)) ||
  [candidates, fieldsOf(response)['candidates']]
    .flat()
    .some((each) => typeof fieldsOf(each)['finishReason'] === 'string')

function countsOf(usage: Fields): typeof nothingUsed {
  const of = (from: Fields, ...names: string[]): number =>
    names
      .map((name) => numberOf(from[name]) ?? 0)
      .reduce((sum, each) => sum + Math.max(0, Math.round(each)), 0)
  if ('promptTokenCount' in usage)
    return {
      inputTokens: of(usage, 'promptTokenCount', 'toolUsePromptTokenCount'),
      outputTokens: of(usage, 'candidatesTokenCount', 'thoughtsTokenCount'),
      cachedTokens: of(usage, 'cachedContentTokenCount'),
    }
  if ('prompt_tokens' in usage)
    return {
      inputTokens: of(usage, 'prompt_tokens'),
      outputTokens: of(usage, 'completion_tokens'),
      cachedTokens: of(fieldsOf(usage['prompt_tokens_details']), 'cached_tokens'),
    }
  return {
    // Anthropic counts what it reads from and writes to its cache beside the input.
    inputTokens: of(
      usage,
      'input_tokens',
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
    ),
    outputTokens: of(usage, 'output_tokens'),
    cachedTokens:
      of(usage, 'cache_read_input_tokens') +
      of(fieldsOf(usage['input_tokens_details']), 'cached_tokens'),
  }
}
