/** Failures of the communication with an agent: a code for programs and a message for people. */
import { RequestError } from '@agentclientprotocol/sdk'
import { mask } from '../../platform/mask.ts'
import { statusText } from '../../protocol/sentences.ts'
import { fieldsOf, jsonOf, lineOf, textOf } from './read-fields.ts'
import { FloodError } from './wire.ts'

export type AcpFailureCode =
  /** The agent supports no ACP version of ours. */
  | 'version'
  /** The agent requires a sign-in. */
  | 'sign_in'
  /** The agent did not answer in time. */
  | 'timeout'
  /** The agent answered with an error. */
  | 'refused'
  /** The agent's answer is invalid. */
  | 'nonsense'
  /** The agent closed its output or exited. */
  | 'ended'
  /** The agent wrote too much that was no message. */
  | 'flooded'
  /** A turn is running, or was cancelled and not answered. */
  | 'busy'
  /** The agent does not accept this kind of content. */
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

/** Converts any error of the ACP library. */
export function failureOf(error: unknown, what: string): AcpFailure {
  if (error instanceof AcpFailure) return error
  if (error instanceof FloodError) return new AcpFailure('flooded', error.message)
  if (!(error instanceof RequestError)) return new AcpFailure('ended', statusText('endedBeforeAnswer', { what }))
  const message = `${what}: ${messageOf(error)}`.slice(0, maxErrorChars)
  return new AcpFailure(isSignIn(error) ? 'sign_in' : 'refused', message)
}

/** Unknown session or invalid parameters. Messages differ between agents, so the code decides. */
const promptRejectedCodes: ReadonlySet<number> = new Set([-32602, -32002])

/** Whether the agent rejected the prompt itself. */
export const isPromptRejected = (error: unknown): boolean => error instanceof RequestError && promptRejectedCodes.has(error.code)

/** Some agents put the cause into `data`, behind a generic message. */
function messageOf({ message, data }: RequestError): string {
  const fields = fieldsOf(data)
  const more =
    textOf(data) ?? lineOf(fields['details']) ?? lineOf(fields['message']) ?? (data === undefined ? undefined : jsonOf(data))
  return more === undefined || more === '{}' || message.includes(more) ? message : `${message} (${more})`
}

const isSignIn = ({ code, message }: RequestError): boolean =>
  code === authRequired ||
  /\b(authentication|auth|login|log in|sign in|api key)\b.*\b(required|missing|failed|not)\b/i.test(message)
