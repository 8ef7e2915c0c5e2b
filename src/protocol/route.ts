/** The definition of a route. */
import * as z from 'zod'
import { channelNames } from '../domain/channels/key.ts'
import { Id } from './text.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters in braces: `/api/projects/{projectId}`. */
  readonly path: `/${string}`
  /** No credential is needed. */
  readonly anonymous?: true
  /** What it does, in a line. */
  readonly summary: string
  /** More of it, where a line is not enough. */
  readonly description?: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Limit for a JSON body that may be larger than others, in bytes. */
  readonly bodyLimit?: number
  /** The body is a byte stream; its limit in bytes. */
  readonly upload?: number
  /** 202: it is under way, and what became of it is read elsewhere. */
  readonly status: 200 | 201 | 202 | 204
  /** A second success status with the same response, for something created. The handler chooses. */
  readonly alsoStatus?: 201
  readonly answer?: z.ZodType
  /** The media type of a response that is not JSON. */
  readonly media?: string
}

const numberOf = (what: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, `is not the number of ${what}`)
    .transform(Number)

/** Parameters of paths that are not simply an id. */
const parameters = {
  approvalId: numberOf('an approval'),
  questionId: numberOf('an approval'),
  seq: numberOf('a message'),
  channel: z.enum(channelNames),
  /** What is wrong with a key, its length too, is said by domain/conversations/key.ts. */
  key: z.string(),
  day: z.string().max(20),
  /** The domain checks names of artifacts, with its own error (`invalid_name`). */
  name: z.string().max(1000),
  toolCallId: z.string().min(1).max(1000),
  chatId: Id,
  userId: Id,
  turnId: Id,
  userSessionId: Id,
  worktreeId: Id,
}
const anyId = z.string().max(200)

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never
type ParamsIn<Path> = z.ZodObject<{
  [Name in NamesIn<Path>]: Name extends keyof typeof parameters
    ? (typeof parameters)[Name]
    : typeof anyId
}>

/**
 * A route as it is written: the parameters are those in the path, the status is 200, or 204 where
 * there is no answer.
 */
type RouteDefinition = Omit<Route, 'status' | 'params'> & {
  readonly status?: 200 | 201 | 202
}
type Listed<Definition extends RouteDefinition> = Definition & {
  readonly status: Route['status']
} & ([NamesIn<Definition['path']>] extends [never]
    ? unknown
    : { readonly params: ParamsIn<Definition['path']> })

/** Defines a route. */
export function route<const Definition extends RouteDefinition>(
  definition: Definition,
): Listed<Definition> {
  const names = [...definition.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const schemas: Readonly<Record<string, z.ZodType>> = parameters
  const params = names.length > 0 && {
    params: z.object(Object.fromEntries(names.map((name) => [name, schemas[name] ?? anyId]))),
  }
  const status = definition.answer || definition.media ? 200 : 204
  return { status, ...params, ...definition } as unknown as Listed<Definition>
}
