/** What of an agent's request is passed on to a model, and how one is refused (GW1, GW2). */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/**
 * The model APIs. Others, such as files, keys and stored answers of the account, are not for
 * agents: no way up, also not where a service decodes the path once more.
 */
export const modelPaths: Readonly<Record<string, RegExp>> = {
  POST: /^(\/v\d\w*|\/openai)*\/(messages(\/count_tokens)?|responses(\/compact|\/input_tokens)?|(chat\/)?completions|embeddings|models\/(?!.*\.\.)([\w.:@/-]|%2[Ff]|%3[Aa]|%40)+:(generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents))$/,
  GET: /^(\/v\d\w*|\/openai)*\/models(\/(?!.*\.\.)([\w.:@/-]|%2[Ff]|%3[Aa]|%40)+)?$/,
}
const keyHeaders = ['x-api-key', 'x-goog-api-key', 'api-key'] as const
/** What leaves the numbers out of an answer of Gemini, or gives it another form. */
const filters = ['fields', '$fields', 'callback', '$callback', '$alt'] as const
/** Between two hops, or of the agent's own surroundings; or such a filter. */
export const leftOut = new Set([
  ...[
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'proxy-authorization',
    'proxy-connection',
    'te',
    'trailer',
    'upgrade',
  ],
  ...[
    'transfer-encoding',
    'content-length',
    'host',
    'accept-encoding',
    'expect',
    'cookie',
    'set-cookie',
    'origin',
    'referer',
    'content-encoding',
    'x-goog-fieldmask',
  ],
  ...[
    'authorization',
    'x-http-method-override',
    'x-http-method',
    'x-method-override',
    ...keyHeaders,
  ],
])

type Sent = NodeJS.Dict<string | string[]>

const bearer = (headers: IncomingHttpHeaders): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]

/** Agents send a key in a header of their API, or in the address. */
export function tokenOf({ headers, url }: IncomingMessage): string | undefined {
  const found = [bearer(headers), ...keyHeaders.map((name) => headers[name]), queryKey(url)]
  return found.find((each) => typeof each === 'string' && each !== '') as string | undefined
}

const queryKey = (url: string | undefined): string | undefined =>
  URL.parse(url ?? '', 'http://gateway')?.searchParams.get('key') ?? undefined

/** The key stands where the token stood. */
export function headersOut({ headers }: IncomingMessage, token: string, key: string): Sent {
  const passedHeaders: Sent = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !leftOut.has(name)),
  )
  if (bearer(headers) === token) passedHeaders['authorization'] = `Bearer ${key}`
  for (const name of keyHeaders) if (headers[name] === token) passedHeaders[name] = key
  return { ...passedHeaders, 'accept-encoding': 'identity' }
}

export function withKey(target: URL, token: string, key: string): URL {
  const url = new URL(target)
  if (url.searchParams.get('key') === token) url.searchParams.set('key', key)
  else url.searchParams.delete('key')
  return url
}

/** `…/v1` of the address stands for the version that the agent writes. */
export function targetOf(upstream: string, { pathname, search }: URL): URL {
  const base = upstream.replace(/\/+$/, '')
  const hasVersion = /\/v\d\w*$/.test(new URL(base).pathname)
  const url = new URL(
    `${base}${hasVersion ? pathname.replace(/^\/v\d\w*(?=\/)/, '') : pathname}${search}`,
  )
  const query = url.searchParams
  if (filters.some((name) => query.has(name))) for (const name of filters) query.delete(name)
  if (query.has('alt') && !['sse', 'json'].includes(query.getAll('alt').join())) query.delete('alt')
  return url
}

/** Undefined when it is too large. */
export async function bodyOf(
  request: IncomingMessage,
  isRoomFor: (bytes: number) => boolean,
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  for await (const piece of request as AsyncIterable<Buffer>) {
    if (!isRoomFor(piece.length)) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** In the form that the APIs have in common. */
export function refuse(
  answer: ServerResponse,
  status: number,
  code: string,
  message: string,
): void {
  const error = { type: code, code, message: `Holdfast: ${message}` }
  if (!answer.destroyed)
    answer
      .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify({ type: 'error', error }))
}
