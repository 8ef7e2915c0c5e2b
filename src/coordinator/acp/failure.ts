/** Why a conversation with an agent did not go on, with a word for programs and a sentence for people. */
import { RequestError } from '@agentclientprotocol/sdk'
import { mask } from '../../platform/mask.ts'
import { statusText } from '../../protocol/sentences.ts'
import { fieldsOf, jsonOf, lineOf, textOf } from './read-fields.ts'
import { FloodError } from './wire.ts'

export type AcpFailureCode =
  /** It speaks no version of ACP that we do. */
  | 'version'
  /** It wants somebody to sign in; `methods` says how. */
  | 'sign_in'
  /** It did not answer in time. */
  | 'timeout'
  /** It answered with an error. */
  | 'refused'
  /** It answered with something that makes no sense. */
  | 'nonsense'
  /** It closed its output, or has exited. */
  | 'ended'
  /** It wrote far too much that was no message. */
  | 'flooded'
  /** A turn is running, or was cancelled and never given back. */
  | 'busy'
  /** It does not take this kind of content. */
  | 'not_accepted'

export class AcpFailure extends Error {
  readonly code: AcpFailureCode

  constructor(code: AcpFailureCode, message: string) {
    super(mask(message))
    this.name = 'AcpFailure'
    this.code = code
  }
}

const authRequired = -32000
const maxErrorChars = 2000

/** Whatever the library threw, in our words. */
export function failureOf(error: unknown, what: string): AcpFailure {
  if (error instanceof AcpFailure) return error
  if (error instanceof FloodError) return new AcpFailure('flooded', error.message)
  if (!(error instanceof RequestError)) return new AcpFailure('ended', statusText('endedBeforeAnswer', { what }))
  const message = `${what}: ${messageOf(error)}`.slice(0, maxErrorChars)
  return new AcpFailure(isSignIn(error) ? 'sign_in' : 'refused', message)
}

/** The agent knows no such session, or not these parameters: agents differ in the words, so the code decides. */
const promptRejectedCodes: ReadonlySet<number> = new Set([-32602, -32002])

/** Whether the agent refused to take a prompt at all. */
export const isPromptRejected = (error: unknown): boolean => error instanceof RequestError && promptRejectedCodes.has(error.code)

/** Some put what happened into `data`, behind a message that says nothing. */
function messageOf({ message, data }: RequestError): string {
  const fields = fieldsOf(data)
  const more =
    textOf(data) ?? lineOf(fields['details']) ?? lineOf(fields['message']) ?? (data === undefined ? undefined : jsonOf(data))
  return more === undefined || more === '{}' || message.includes(more) ? message : `${message} (${more})`
}

const isSignIn = ({ code, message }: RequestError): boolean =>
  code === authRequired ||
  /\b(authentication|auth|login|log in|sign in|api key)\b.*\b(required|missing|failed|not)\b/i.test(message)
