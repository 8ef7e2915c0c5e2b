/** An error on the wire: `application/problem+json` (HT2). The same words come over WebSocket, MCP and the command line. */
import { type ErrorCode, errorCatalogue, type Refusal } from '../domain/errors.ts'

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  /** What the reader can do now. */
  readonly next: string
  readonly [field: string]: unknown
}

export function problemOf(refusal: Pick<Refusal, 'code' | 'message' | 'fields'>): Problem {
  const { status, title, next } = errorCatalogue[refusal.code]
  return {
    ...refusal.fields,
    type: `https://holdfast.invalid/errors/${refusal.code}`,
    title,
    status,
    detail: refusal.message,
    code: refusal.code,
    next,
  }
}
