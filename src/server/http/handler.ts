/** Handlers convert the validated input of a route to its answer and hold no rules. Most run one use case or one query. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import type { Who } from '../../domain/access/caller.ts'
import type { Route } from '../../protocol/route.ts'
import type { Query, ReceiptKey, UseCase } from '../../store/store.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { Presented } from '../security/credentials.ts'

type Checked<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type FieldOf<R, Name extends string> = R extends { readonly [N in Name]: infer Schema } ? Checked<Schema> : undefined
type IfKnown<R, Value> = R extends { readonly scope: 'nobody' } ? undefined : Value

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

/** Result of a handler: data for JSON, text for another media type, nothing for 204 or when the handler keeps the response open. */
type Answer<R extends Route> = R extends { readonly answer: infer Schema extends z.ZodType }
  ? Promise<z.input<Schema>>
  : R extends { readonly media: string }
    ? Promise<string | undefined>
    : Promise<void>

export type Handler<R extends Route> = (call: Call<R>) => Answer<R>
export type HandlersOf<Routes extends Record<string, Route>> = { readonly [Name in keyof Routes]: Handler<Routes[Name]> }

/** Handler of a write: runs a use case once, however often the request is repeated (HT4). */
export const run =
  <C extends Pick<Call<Route>, 'deps' | 'receipt'>, Input, Output>(
    useCase: UseCase<Input, Output>,
    toInput: (call: C) => Input,
  ) =>
  (call: C): Promise<Output> =>
    call.deps.store.run(useCase, toInput(call), call.receipt)

/** Handler of a read. */
export const query =
  <C extends Pick<Call<Route>, 'deps'>, Input, Output>(service: Query<Input, Output>, toInput: (call: C) => Input) =>
  (call: C): Promise<Output> =>
    call.deps.store.query(service, toInput(call))
