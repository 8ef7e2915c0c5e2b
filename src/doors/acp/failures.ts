/**
 * Errors as an editor shows them: the whole sentence with the next step, on one line, and the same
 * as `details`, which is what Zed shows of an internal error.
 */
import { RequestError } from '@agentclientprotocol/sdk/unstable'
import { errorCatalogue, type Refusal } from '../../domain/errors.ts'
import { maskedProblem } from '../../server/http/problem-answer.ts'

export const codes = {
  parse: -32700,
  request: -32600,
  params: -32602,
  internal: -32603,
  signIn: -32000,
  notFound: -32002,
} as const

export const failure = (code: number, words: string): RequestError => {
  const line = words.replaceAll(/\s*\n\s*/g, ' ')
  return new RequestError(code, line, { details: line })
}

/** One that is another's is told as one that is not there (SE28). */
export const noSuchThread = (key: string): RequestError =>
  failure(codes.notFound, `${key.slice(0, 100)} is not open here. Load it, or begin a new one.`)

/** A next step that points to fields of a problem, which an editor does not show. */
const namesFields = /`\w+`/

export function rpcErrorOf(refusal: Refusal): RequestError {
  const { message } = refusal
  const { detail = message } = maskedProblem(refusal)
  const { status, next } = errorCatalogue[refusal.code]
  const words = /[.!?]$/.test(detail) ? detail : `${detail}.`
  return failure(codeOf(status), namesFields.test(next) ? words : `${words} ${next}`)
}

function codeOf(status: number): number {
  if (status === 401) return codes.signIn
  if (status === 404) return codes.notFound
  return status === 400 || status === 413 || status === 422 ? codes.params : codes.internal
}
