/**
 * Reads of a request's body what decides whether it is counted (GW4), without parsing the rest:
 * messages are large. A body that two programs may read in two ways is refused, because the service
 * would answer for another model than the one that is counted.
 */
import { fieldsOf, parsedJson } from '../../platform/json.ts'

export interface RequestBody {
  readonly model: string
  readonly body: Buffer
  /** The numbers were asked for, and the agent did not want them. */
  readonly addedUsage: boolean
}

const maxModelChars = 200

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d])

/** What is wrong with a body, in the words for the agent. */
export type Unreadable = { readonly problem: string }

/** Whatever decides what an answer costs, or whether it tells what it used. */
const counted: ReadonlySet<string> = new Set(['model', 'stream', 'stream_options', 'background'])

/** `pathModel`: the model that the address names. */
export function readBody(
  path: string,
  pathModel: string | undefined,
  body: Buffer,
): RequestBody | Unreadable {
  const parts = countedParts(body)
  if (typeof parts === 'string') return { problem: parts }
  const fields = new Map(
    [...parts].map(([name, { from, to }]) => [
      name,
      parsedJson(body.subarray(from, to).toString()),
    ]),
  )
  const model = pathModel ?? (fields.has('model') ? fields.get('model') : '')
  if (typeof model !== 'string') return { problem: 'model is not a name.' }
  if (fields.get('background'))
    return { problem: 'What is done in the background cannot be counted.' }
  const stream = fields.get('stream') ?? false
  if (typeof stream !== 'boolean') return { problem: 'stream is not true or false.' }
  const asIs = { model: model.slice(0, maxModelChars), body, addedUsage: false }
  if (!stream || !path.endsWith('completions')) return asIs
  const given = Object.entries(fieldsOf(fields.get('stream_options')))
  const others = given.filter(([name]) => folded(name) !== 'include_usage')
  const options = JSON.stringify({ ...Object.fromEntries(others), include_usage: true })
  const at = parts.get('stream_options')
  const pieces = at
    ? [body.subarray(0, at.from), Buffer.from(options), body.subarray(at.to)]
    : [Buffer.from(`{"stream_options":${options},`), body.subarray(body.indexOf(openBrace) + 1)]
  const wanted = given.some(([name, value]) => name === 'include_usage' && value === true)
  return { ...asIs, body: Buffer.concat(pieces), addedUsage: !wanted }
}

interface Part {
  readonly from: number
  readonly to: number
}

/** As services fold names that do not mind their case: also letters that only look like others. */
const folded = (name: string): string => name.toUpperCase().toLowerCase()

/** Where the values are that count; or what is wrong with the body. */
function countedParts(body: Buffer): ReadonlyMap<string, Part> | string {
  const found = new Map<string, Part>()
  let at = afterBlanks(body, 0)
  if (body[at] !== openBrace) return 'The body is not a JSON object.'
  at = afterBlanks(body, at + 1)
  for (; body[at] !== closeBrace; at = afterBlanks(body, at + 1)) {
    const nameEnd = afterText(body, at)
    const name = parsedJson(body.subarray(at, nameEnd).toString())
    at = afterBlanks(body, nameEnd)
    if (typeof name !== 'string' || body[at] !== colon) return notJson
    const from = afterBlanks(body, at + 1)
    const to = afterValue(body, from)
    if (to <= from) return notJson
    const isCounted = counted.has(folded(name))
    if (isCounted && name !== folded(name)) return `Only ${folded(name)} is written so.`
    if (found.has(name)) return `The body has two of ${name}.`
    if (isCounted) found.set(name, { from, to })
    at = afterBlanks(body, to)
    if (body[at] === closeBrace) break
    if (body[at] !== comma) return notJson
  }
  return afterBlanks(body, at + 1) === body.length ? found : notJson
}

const notJson = 'The body is not JSON.'

function afterBlanks(body: Buffer, from: number): number {
  let at = from
  while (blanks.has(body[at] ?? 0)) at++
  return at
}

/**
 * The place behind a text that begins here; the place itself where none begins or it has no end.
 */
function afterText(body: Buffer, from: number): number {
  if (body[from] !== quote) return from
  for (let at = body.indexOf(quote, from + 1); at >= 0; at = body.indexOf(quote, at + 1)) {
    let escapes = 0
    while (body[at - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return at + 1
  }
  return from
}

/** The place behind a value: its brackets are counted, a text is passed over. */
function afterValue(body: Buffer, from: number): number {
  let depth = 0
  for (let at = from; at < body.length; at++) {
    const byte = body[at]
    if (byte === quote) {
      const end = afterText(body, at)
      if (end === at) return from
      at = end - 1
    } else if (byte === openBrace || byte === openBracket) depth++
    else if (depth > 0 && (byte === closeBrace || byte === closeBracket)) depth--
    else if (depth === 0 && (byte === comma || byte === closeBrace || blanks.has(byte ?? 0)))
      return at
    if (depth === 0 && at > from && (byte === closeBrace || byte === closeBracket)) return at + 1
  }
  return from
}
