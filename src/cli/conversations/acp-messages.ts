/** Messages of JSON-RPC as a tunnel sees them: their ids, and what only it and a server share. */

export type Id = string | number | null

export interface RpcMessage {
  readonly id?: Id
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>> | null
  readonly error?: unknown
}

export const isRequest = ({ id, method }: RpcMessage): boolean =>
  id !== undefined && method !== undefined

export const isAnswer = ({ id, method }: RpcMessage): boolean =>
  id !== undefined && method === undefined

/** Ids are compared with their type. */
export const nameOf = (id: Id | undefined): string => `${typeof id} ${id}`

const metaIn = (fields: unknown): Readonly<Record<string, unknown>> => {
  const meta = (fields as { _meta?: unknown } | null | undefined)?._meta
  return typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>) : {}
}

/** What the server tells its tunnel alone. */
export const privateIn = (fields: unknown): Readonly<Record<string, unknown>> => {
  const { holdfast } = metaIn(fields)
  return typeof holdfast === 'object' && holdfast !== null
    ? (holdfast as Record<string, unknown>)
    : {}
}

type Fields = Readonly<Record<string, unknown>>

export const withPrivate = (fields: Fields | undefined, holdfast: Fields): Fields => ({
  ...fields,
  _meta: { ...metaIn(fields), holdfast },
})

export function withoutPrivate(fields: Fields): Fields {
  const { _meta, ...rest } = fields
  const { holdfast: _, ...meta } = metaIn(fields)
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}

export const textIn = (fields: Fields | null | undefined, name: string): string | undefined => {
  const value = fields?.[name]
  return typeof value === 'string' ? value : undefined
}

export const errorTo = (id: Id, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data: { details: message } } })
