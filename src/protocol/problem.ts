/**
 * An error on the wire: `application/problem+json` (HT2). WebSocket, MCP and the command line use
 * the same codes.
 */
import { type ErrorCode, errorCatalogue, type Refusal } from '../domain/errors.ts'
import type { Notice } from '../domain/notices.ts'

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  /**
   * The code and parameters that `detail` was made from; absent where it is the text of another
   * program; `code` itself where it is the title.
   */
  readonly notice?: Notice
  readonly code: ErrorCode
  readonly next: string
  readonly [field: string]: unknown
}

export function problemOf(
  refusal: Pick<Refusal, 'code' | 'message' | 'fields'> & { readonly notice?: Notice | null },
): Problem {
  const { status, title, next } = errorCatalogue[refusal.code]
  return {
    ...refusal.fields,
    type: `https://holdfast.invalid/errors/${refusal.code}`,
    title,
    status,
    detail: refusal.message,
    ...(refusal.notice && { notice: refusal.notice }),
    code: refusal.code,
    next,
  }
}
