/** The client's types, derived from the list of routes. Types only. */
import type * as z from 'zod'
import type { Routes } from '../protocol/routes.ts'

type AnyRoute = Routes[keyof Routes]
/** Answers that are not JSON have their own functions (event-stream.ts). */
type JsonRoute = Exclude<AnyRoute, { media: string }>

export type Method = JsonRoute['method']
export type PathOf<M extends Method> = Extract<JsonRoute, { method: M }>['path']
export type RouteAt<M extends Method, P> = Extract<JsonRoute, { method: M; path: P }>

type Given<Name extends string, Schema> = undefined extends Schema ? { [Key in Name]?: Schema } : { [Key in Name]: Schema }
type Whole<Name extends string, Shape> =
  Record<string, never> extends Shape ? { [Key in Name]?: Shape } : { [Key in Name]: Shape }

/** Optional are the fields that the schema makes optional; the others have their type after parsing. */
type QueryShape<Schema extends z.ZodType> = {
  [Key in keyof z.input<Schema>]: Key extends keyof z.output<Schema> ? z.output<Schema>[Key] : never
}

type ParamsOf<R> = R extends { params: infer Schema extends z.ZodType } ? { params: z.input<Schema> } : { params?: undefined }
type QueryOf<R> = R extends { query: infer Schema extends z.ZodType } ? Whole<'query', QueryShape<Schema>> : { query?: undefined }
type BodyOf<R> = R extends { body: infer Schema extends z.ZodType } ? Given<'body', z.input<Schema>> : { body?: undefined }

export interface RequestOptions {
  /** The same key returns the first answer (HT4). Generated when left out. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** Attempts after a transient failure; 2 when left out. */
  readonly retries?: number
}

/** Distributes over the routes, so that parameters of different routes are not mixed. */
export type RequestOf<R> = R extends AnyRoute ? RequestOptions & ParamsOf<R> & QueryOf<R> & BodyOf<R> : never
export type AnswerOf<R> = R extends { answer: infer Schema extends z.ZodType } ? z.output<Schema> : undefined

/** The options may be left out when none is required. */
export type Arguments<R> = Record<string, never> extends RequestOf<R> ? [request?: RequestOf<R>] : [request: RequestOf<R>]
