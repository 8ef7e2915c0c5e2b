/** What a route is made of. */
import type * as z from 'zod'
import type { Scope } from '../domain/access/scopes.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters in braces: `/api/projects/{projectId}`. */
  readonly path: `/${string}`
  /** `nobody`: no credential is asked for; `anybody`: any credential will do. */
  readonly scope: Scope | 'nobody' | 'anybody'
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** A body of JSON may be larger than others: at most so many bytes. */
  readonly bodyLimit?: number
  /** The body is bytes of any kind, read as they come; at most so many. */
  readonly upload?: number
  /** The status of success, and what comes with it. */
  readonly status: 200 | 201 | 204
  /** Another status of success with the same answer: something was made. The handler says which. */
  readonly alsoStatus?: 201
  readonly answer?: z.ZodType
  /** Not JSON: the media type of the answer. */
  readonly media?: string
}
