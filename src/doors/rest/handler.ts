/**
 * Handlers convert the validated input of a route to its answer and hold no rules. Most run one use
 * case or one query.
 */

import { createHash, createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import { nobody, type Who } from '../../domain/access/caller.ts'
import type { Rights } from '../../domain/access/rights.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Route } from '../../protocol/route.ts'
import type { Routes } from '../../protocol/routes.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import type { Presented } from '../../server/security/credentials.ts'
import type { Asked } from '../../services/app.ts'
import type { Query, ReceiptKey, UseCase } from '../../store/store.ts'

type Checked<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type FieldOf<R, Name extends string> = R extends { readonly [N in Name]: infer Schema }
  ? Checked<Schema>
  : undefined
type IfKnown<R, Value> = R extends { readonly anonymous: true } ? undefined : Value

/** A request whose credential, scope and input are valid. */
export interface Call<R extends Route> {
  readonly params: FieldOf<R, 'params'>
  readonly query: FieldOf<R, 'query'>
  readonly body: FieldOf<R, 'body'>
  readonly who: IfKnown<R, Who>
  readonly presented: IfKnown<R, Presented>
  readonly receipt: ReceiptKey | undefined
  readonly deps: ServerDependencies
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Result of a handler: data for JSON, text for another media type, nothing for 204 or when the
 * handler keeps the response open.
 */
type Answer<R extends Route> = R extends { readonly answer: infer Schema extends z.ZodType }
  ? Promise<z.input<Schema>>
  : R extends { readonly media: string }
    ? Promise<string | undefined>
    : Promise<void>

/** What a route is answered by; `does` says which scope it needs and whose it is. */
interface Handling<C, Output> {
  (call: C): Output
  readonly does: Rights
}
export type Handler<R extends Route> = Handling<Call<R>, Answer<R>>
export type HandlersOf<Routes extends Record<string, Route>> = {
  readonly [Name in keyof Routes]: Handler<Routes[Name]>
}

/** The scope that each operation needs. */
export type Scopes = Readonly<Record<string, Rights['scope']>>

interface AnyCall extends Pick<Call<Route>, 'deps' | 'receipt'> {
  readonly params: unknown
  readonly who: Who | undefined
}

/** Handler of a write: runs a use case once, however often the request is repeated (HT4). */
export const run = <C extends AnyCall, Input, Output>(
  useCase: UseCase<Input, Output>,
  toInput: (call: C) => Input,
): Handling<C, Promise<Output>> =>
  by(useCase, (call: C) =>
    call.deps.app.run(useCase, toInput(call), call.who ?? nobody, call.receipt),
  )

export const query = <C extends AnyCall, Input, Output>(
  service: Query<Input, Output>,
  toInput: (call: C) => Asked<Input>,
): Handling<C, Promise<Output>> =>
  by(service, (call: C) => call.deps.app.read(service, toInput(call), call.who ?? nobody))

/** Handler that does more than call this use case or query, which checks what it is given. */
export const by = <C, Output>(does: Rights, handler: (call: C) => Output): Handling<C, Output> =>
  Object.assign((call: C) => handler(call), { does })

/** Handler of what no single use case does; whose it is stands in the path. */
export const allowed = <C extends AnyCall, Output>(
  does: Rights,
  handler: (call: C) => Promise<Output>,
): Handling<C, Promise<Output>> =>
  by(does, async (call: C) => {
    await call.deps.app.require(does, call.params, call.who ?? nobody)
    return handler(call)
  })

// Receipt requested by `Idempotency-Key` (HT4).

/** 1 to 200 printable characters. */
const keyForm = /^[\x20-\x7e]{1,200}$/

/** `content` replaces the body where it is not JSON. */
export function receiptOf(
  request: FastifyRequest,
  operation: string,
  presented: Presented | null,
  content = request.body === undefined ? '' : JSON.stringify(request.body),
): ReceiptKey | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !presented || request.method === 'GET' || request.method === 'HEAD')
    return undefined
  if (typeof key !== 'string' || !keyForm.test(key)) {
    throw new Refusal('invalid_request', refusalText('keyPrintable'), { field: 'Idempotency-Key' })
  }
  return {
    credentialId: presented.who.credentialId,
    operation,
    key,
    contentHash: contentHash(
      request,
      content,
      secretBodies.has(operation) ? presented.secret : undefined,
    ),
    sealedBy: presented.secret,
  }
}

/**
 * SE12: bodies with secrets are hashed with the caller's secret, so that the stored hash cannot be
 * guessed.
 */
const secretBodies: ReadonlySet<string> = new Set<keyof Routes>([
  'createAgent',
  'changeAgent',
  'setSecret',
  'setHost',
])

const contentHash = (
  { method, url }: FastifyRequest,
  content: string,
  secret: string | undefined,
): string =>
  (secret === undefined ? createHash('sha256') : createHmac('sha256', secret))
    .update(`${method}\n${url}\n${content}`)
    .digest('base64url')
