/** The definition of a route. */
import type * as z from 'zod'
import type { Scope } from '../domain/access/scopes.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters in braces: `/api/projects/{projectId}`. */
  readonly path: `/${string}`
  /** `nobody`: no credential needed; `anybody`: any credential. */
  readonly scope: Scope | 'nobody' | 'anybody'
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Limit for a JSON body that may be larger than others, in bytes. */
  readonly bodyLimit?: number
  /** The body is a byte stream; its limit in bytes. */
  readonly upload?: number
  /** The success status and its response. */
  readonly status: 200 | 201 | 204
  /** A second success status with the same response, for something created. The handler chooses. */
  readonly alsoStatus?: 201
  readonly answer?: z.ZodType
  /** The media type of a response that is not JSON. */
  readonly media?: string
}
