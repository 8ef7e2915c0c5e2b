/** The client's types, worked out from the one list of routes. Types only: nothing of this exists at run time. */
import type * as z from 'zod'
import type { Routes } from '../protocol/routes.ts'

type AnyRoute = Routes[keyof Routes]
/** Answers that are not JSON have functions of their own (event-stream.ts). */
type JsonRoute = Exclude<AnyRoute, { media: string }>

export type Method = JsonRoute['method']
export type PathOf<M extends Method> = Extract<JsonRoute, { method: M }>['path']
export type RouteAt<M extends Method, P> = Extract<JsonRoute, { method: M; path: P }>

type Given<Name extends string, Schema> = undefined extends Schema ? { [Key in Name]?: Schema } : { [Key in Name]: Schema }
type Whole<Name extends string, Shape> =
  Record<string, never> extends Shape ? { [Key in Name]?: Shape } : { [Key in Name]: Shape }

/** What may be left out is what the schema lets be left out; what is given has the type it has after parsing. */
type QueryShape<Schema extends z.ZodType> = {
  [Key in keyof z.input<Schema>]: Key extends keyof z.output<Schema> ? z.output<Schema>[Key] : never
}

type ParamsOf<R> = R extends { params: infer Schema extends z.ZodType } ? { params: z.input<Schema> } : { params?: undefined }
type QueryOf<R> = R extends { query: infer Schema extends z.ZodType } ? Whole<'query', QueryShape<Schema>> : { query?: undefined }
type BodyOf<R> = R extends { body: infer Schema extends z.ZodType } ? Given<'body', z.input<Schema>> : { body?: undefined }

export interface RequestOptions {
  /** The same key again gives the first answer again (HT4). Made for you when left out. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** How often to try again after a failure that may pass; 2 when left out. */
  readonly retries?: number
}

/** Route by route: of several at once, the parts of one would be crossed with those of all the others. */
export type RequestOf<R> = R extends AnyRoute ? RequestOptions & ParamsOf<R> & QueryOf<R> & BodyOf<R> : never
export type AnswerOf<R> = R extends { answer: infer Schema extends z.ZodType } ? z.output<Schema> : undefined

/** The options may be left out when nothing in them is needed. */
export type Arguments<R> = Record<string, never> extends RequestOf<R> ? [request?: RequestOf<R>] : [request: RequestOf<R>]
