/**
 * JSON-RPC 2.0 as the Agent Host Protocol speaks it: one message in a text frame, and its errors.
 * Every malformed frame is answered in words.
 */
import * as z from 'zod'
import type { ErrorCode, Refusal } from '../../domain/errors.ts'
import { maskedProblem } from '../../server/http/problem-answer.ts'

export const ahpErrors = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  noSession: -32001,
  noProvider: -32002,
  threadExists: -32003,
  turnRuns: -32004,
  version: -32005,
  notFound: -32008,
  denied: -32009,
  exists: -32010,
} as const

export class AhpError extends Error {
  readonly code: number
  readonly data: unknown
  /** Whether the connection ends with it. */
  readonly isLast: boolean

  constructor(kind: keyof typeof ahpErrors, message: string, data?: unknown) {
    super(message)
    this.code = ahpErrors[kind]
    this.data = data
    this.isLast = kind === 'version'
  }
}

export const Frame = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(200), z.number()]).optional(),
  method: z.string().max(200),
  params: z.record(z.string(), z.unknown()).optional(),
})

export type RequestId = z.output<typeof Frame>['id'] | null

/** The id of what cannot be read as a request, as far as it has one. */
export function idIn(message: unknown): RequestId {
  const id = (message as { id?: unknown } | null)?.id
  return typeof id === 'number' || (typeof id === 'string' && id.length <= 200) ? id : null
}

const kinds: Partial<Record<ErrorCode, keyof typeof ahpErrors>> = {
  invalid_request: 'invalidParams',
  invalid_key: 'invalidParams',
  not_found: 'noSession',
  agent_not_found: 'noProvider',
  wrong_state: 'turnRuns',
  already_exists: 'threadExists',
  missing_scope: 'denied',
  forbidden_origin: 'denied',
}

/** What somebody is told of a refusal, in one line. */
const wordsOf = (refusal: Refusal): string => {
  const { title, detail } = maskedProblem(refusal)
  return detail === undefined ? title : `${title}: ${detail}`
}

export function errorBody(error: AhpError | Refusal): {
  code: number
  message: string
  data?: unknown
} {
  if (error instanceof AhpError) {
    const { code, message, data } = error
    return data === undefined ? { code, message } : { code, message, data }
  }
  const code = ahpErrors[kinds[error.code] ?? 'internal']
  return { code, message: wordsOf(error), data: { code: error.code } }
}
