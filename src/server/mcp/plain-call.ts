/**
 * Recognises the call that nearly every request to this door is: one `tools/call`, whole and well-formed, of either era of the
 * protocol. It is answered without the SDK, whose handler takes seven times as long (SP14) and holds ten times the memory
 * (SP10). Whatever is unusual in any way is not one: the SDK decides about that, and says what is wrong with it.
 */
import type { IncomingHttpHeaders } from 'node:http'

export interface PlainCall {
  readonly id: string | number
  readonly name: string
  readonly args: unknown
  readonly progressToken: string | number | undefined
  /** Of the era whose requests carry their own envelope; answers to them say who answers. */
  readonly modern: boolean
}

/** The revisions that begin with a handshake; a call that names none is of one of these. */
export const handshakeVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']
export const envelopeVersion = '2026-07-28'

const envelopePrefix = 'io.modelcontextprotocol/'
export const serverInfoKey = `${envelopePrefix}serverInfo`

const requestFields = new Set(['jsonrpc', 'id', 'method', 'params'])
const paramFields = new Set(['name', 'arguments', '_meta'])

type Fields = Readonly<Record<string, unknown>>

export function plainCall(headers: IncomingHttpHeaders, body: unknown): PlainCall | undefined {
  if (!isObject(body) || !hasOnly(body, requestFields)) return undefined
  const { jsonrpc, id, method, params } = body
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id)) return undefined
  if (!isObject(params) || !hasOnly(params, paramFields)) return undefined
  const { name, arguments: args, _meta: meta = {} } = params
  if (typeof name !== 'string' || !(args === undefined || isObject(args)) || !isObject(meta)) return undefined
  const { progressToken } = meta
  if (!(progressToken === undefined || isId(progressToken)) || !takesBoth(headers.accept)) return undefined
  const modern = Object.keys(meta).some((key) => key.startsWith(envelopePrefix))
  if (modern ? !envelopeAgrees(headers, meta, name) : !handshakeAgrees(headers)) return undefined
  return { id, name, args, progressToken, modern }
}

/** The answer may be one of either, because a call that is held becomes a stream. */
const takesBoth = (accept: string | undefined): boolean =>
  ['application/json', 'text/event-stream'].every((media) => accept?.includes(media))

function handshakeAgrees(headers: IncomingHttpHeaders): boolean {
  const version = headers['mcp-protocol-version']
  return version === undefined || (typeof version === 'string' && handshakeVersions.includes(version))
}

/** What stands in the headers and in the body must be the same. */
function envelopeAgrees(headers: IncomingHttpHeaders, meta: Fields, name: string): boolean {
  const clientInfo = meta[`${envelopePrefix}clientInfo`]
  return (
    meta[`${envelopePrefix}protocolVersion`] === envelopeVersion &&
    headers['mcp-protocol-version'] === envelopeVersion &&
    headers['mcp-method'] === 'tools/call' &&
    headers['mcp-name'] === name &&
    isObject(meta[`${envelopePrefix}clientCapabilities`]) &&
    isObject(clientInfo) &&
    typeof clientInfo['name'] === 'string' &&
    typeof clientInfo['version'] === 'string'
  )
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isId = (value: unknown): value is string | number => typeof value === 'string' || Number.isInteger(value)

function hasOnly(value: Fields, allowed: ReadonlySet<string>): boolean {
  for (const key in value) if (!allowed.has(key)) return false
  return true
}
