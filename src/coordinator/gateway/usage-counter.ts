/**
 * Counts what a model's answer used (GW4), as it passes: Anthropic's messages, OpenAI's responses and chat, Gemini, and services that
 * speak like them. Reads event streams line by line, keeps the first and the newest line with numbers, and parses both at the end.
 */
import { type Fields, fieldsOf, numberOf } from '../acp/wire.ts'

export interface Counted {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  /** The answer was whole and told its numbers: they are exact. Otherwise at least so much was used. */
  readonly finished: boolean
}

export const nothingUsed = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }

/** Limit for one line of an event stream, and for an answer that is not a stream. A longer one is not counted. */
const maxCountedBytes = 32 * 1024 * 1024

/** In every form, a line with numbers has one of these. Inside a text a quotation mark is escaped, so none is found there. */
const numbers = ['_tokens"', '"usageMetadata"']
const stops = ['message_stop', '[DONE]']
const stopLine = /^(data:\s*\[DONE\]|event:\s*message_stop|data:\s*\{"type":\s*"message_stop".*)\s*$/
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

  constructor(contentType: string | undefined) {
    this.#isStream = contentType?.startsWith('text/event-stream') ?? false
  }

  read(chunk: Buffer): void {
    if (!this.#isStream) return this.#keep(chunk)
    // Most chunks are whole events of text alone.
    if (this.#pieces.length === 0 && chunk.at(-1) === 10 && !isOfInterest(chunk)) return
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const piece = chunk.subarray(from, at)
      this.#line(this.#pieces.length === 0 ? piece : Buffer.concat([...this.#pieces, piece]))
      this.#pieces = []
      this.#pieceBytes = 0
      from = at + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
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
    else if (this.#pieces.length > 0) this.#line(Buffer.concat(this.#pieces))
    this.#pieces = []
    const last = valueIn(this.#newest, this.#isStream)
    const usage = { ...usageIn(valueIn(this.#first, this.#isStream)), ...usageIn(last) }
    const isOver = this.#isStream ? this.#hasStopped || isLast(last) || (isWhole && 'choices' in last) : isWhole
    return { ...countsOf(usage), finished: isOver && !this.#tooLong && Object.keys(usage).length > 0 }
  }

  #keep(piece: Buffer): void {
    this.#pieceBytes += piece.length
    if (this.#pieceBytes > maxCountedBytes) {
      this.#tooLong = true
      this.#pieces = []
    } else this.#pieces.push(piece)
  }

  #line(line: Buffer): void {
    if (line.length < 8) return
    if (line.length < maxStopLine && stopLine.test(line.toString('latin1'))) this.#hasStopped = true
    if (!(line.includes('"usageMetadata"') || (line.includes('"usage"') && line.includes('_tokens"')))) return
    // A copy, because a chunk is large.
    this.#newest = Buffer.from(line)
    this.#first ??= this.#newest
    this.#mayBeLast = lastHints.some((hint) => line.includes(hint))
  }
}

const isOfInterest = (chunk: Buffer): boolean => [...numbers, ...stops].some((text) => chunk.includes(text))

function valueIn(line: Buffer | undefined, isEvent: boolean): Fields {
  try {
    const text = line?.toString('utf8') ?? ''
    const parsed: unknown = JSON.parse(isEvent ? text.replace(/^data:/, '') : text)
    // Gemini without `alt=sse`: a list of chunks.
    return fieldsOf(Array.isArray(parsed) ? parsed.at(-1) : parsed)
  } catch {
    return {}
  }
}

/** Where the forms have their numbers. What a line leaves out, or has as null, stays as it was. */
function usageIn({ usage, usageMetadata, message, response }: Fields): Fields {
  const inside = fieldsOf(response)
  const found = [usage, usageMetadata, fieldsOf(message)['usage'], inside['usage'], inside['usageMetadata']]
    .map(fieldsOf)
    .find((each) => Object.keys(each).length > 0)
  return Object.fromEntries(Object.entries(found ?? {}).filter(([, value]) => value !== null))
}

const isLast = ({ type, candidates, response }: Fields): boolean =>
  lastTypes.has(String(type)) ||
  [candidates, fieldsOf(response)['candidates']].flat().some((each) => typeof fieldsOf(each)['finishReason'] === 'string')

function countsOf(usage: Fields): typeof nothingUsed {
  const of = (from: Fields, ...names: string[]): number =>
    names.map((name) => numberOf(from[name]) ?? 0).reduce((sum, each) => sum + Math.max(0, Math.round(each)), 0)
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
    inputTokens: of(usage, 'input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'),
    outputTokens: of(usage, 'output_tokens'),
    cachedTokens: of(usage, 'cache_read_input_tokens') + of(fieldsOf(usage['input_tokens_details']), 'cached_tokens'),
  }
}
