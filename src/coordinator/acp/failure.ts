/** Failures of the communication with an agent: a code for programs and a message for people. */
import { RequestError } from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../platform/json.ts'
import { mask, maskDetail } from '../../platform/log/mask.ts'
import { readable } from '../../platform/log/readable.ts'
import { about, type Detail, DetailError, statusNotice } from '../../protocol/status-texts.ts'
import { FloodError, jsonOf, type Noise, textOf } from './wire.ts'

export type AcpFailureCode =
  /** The agent supports no ACP version of ours. */
  | 'version'
  | 'sign_in'
  | 'timeout'
  | 'refused'
  | 'nonsense'
  | 'ended'
  /** The agent wrote too much that was no message. */
  | 'flooded'
  /** A turn is running, or was cancelled and not answered. */
  | 'busy'
  | 'not_accepted'

export class AcpFailure extends DetailError {
  readonly code: AcpFailureCode
  /** All that the agent said, where the detail leaves something out. */
  readonly whole: string | undefined

  constructor(code: AcpFailureCode, detail: Detail, whole?: string) {
    super(maskDetail(detail))
    this.name = 'AcpFailure'
    this.code = code
    this.whole = whole
  }
}

const authRequired = -32000
const maxErrorChars = 2000
const maxWholeChars = 16_000

export function failureOf(error: unknown, what: Detail): AcpFailure {
  if (error instanceof AcpFailure) return error
  if (error instanceof FloodError) return new AcpFailure('flooded', error.detail)
  if (!(error instanceof RequestError))
    return new AcpFailure('ended', statusNotice('endedBeforeAnswer', { what }))
  const message = messageOf(error)
  const whole = `${error.message}${error.data === undefined ? '' : ` ${jsonOf(error.data)}`}`
  const detail = about(what, message.slice(0, maxErrorChars))
  return new AcpFailure(
    isSignIn(error) ? 'sign_in' : 'refused',
    detail,
    whole === message ? undefined : whole.slice(0, maxWholeChars),
  )
}

/** Unknown session or invalid parameters. Messages differ between agents, so the code decides. */
const promptRejectedCodes: ReadonlySet<number> = new Set([-32602, -32002])

export const isPromptRejected = (error: unknown): boolean =>
  error instanceof RequestError && promptRejectedCodes.has(error.code)

/**
 * Some agents put the cause into `data`, behind a generic message. What has no words is left out.
 */
function messageOf({ message, data }: RequestError): string {
  const { details, message: ownMessage, error } = fieldsOf(data)
  const more = [data, details, ownMessage, error, fieldsOf(error)['message']]
    .map(textOf)
    .find((text) => text !== undefined)
  const [what, why] = [readable(message), readable(more ?? '')]
  return why === '' || what.includes(why) ? what : `${what} (${why})`
}

const isSignIn = ({ code, message }: RequestError): boolean =>
  code === authRequired ||
  /\b(authentication|auth|login|log in|sign in|api key)\b.*\b(required|missing|failed|not)\b/i.test(
    message,
  )

/**
 * Counts invalid or unexpected input from an agent that was discarded. Reported at the first
 * occurrence and at each power of ten, so that no agent can flood the log. Samples are masked.
 */
export type AnomalyKind =
  | Noise
  /** Content of a kind that has no form for people. */
  | 'unknown_content'
  /** Files, terminals and other methods that are not offered. */
  | 'refused_request'
  | 'unknown_update'
  | 'another_session'
  /** Replayed or late. */
  | 'outside_of_turn'
  | 'turn_too_long'
  | 'too_many_questions'
  | 'cancel_ignored'
  | 'late_answer'

export interface Anomaly {
  readonly kind: AnomalyKind
  /** What was sent, of kinds whose samples are names: the method or the kind of update. */
  readonly name: string
  readonly count: number
  /** Since it was last reported. */
  readonly more: number
  readonly bytes: number
  readonly sample: string
}

const namedKinds: ReadonlySet<AnomalyKind> = new Set([
  'unknown_notification',
  'unknown_content',
  'refused_request',
  'unknown_update',
])
/** Different names of one agent; what comes after them is `other`. */
const maxNames = 40

type Seen = {
  kind: AnomalyKind
  name: string
  count: number
  reported: number
  bytes: number
  tellAt: number
}

export class AnomalyCounter {
  readonly #report: (anomaly: Anomaly) => void
  readonly #seen = new Map<string, Seen>()

  constructor(report: (anomaly: Anomaly) => void) {
    this.#report = report
  }

  /** `sent`: the whole of it, a part of which is shown. */
  count(kind: AnomalyKind, sample: string, bytes = 0, sent?: unknown): void {
    const own = namedKinds.has(kind) ? sample.slice(0, maxNameChars) : ''
    const name = this.#seen.has(`${kind} ${own}`) || this.#seen.size < maxNames ? own : 'other'
    const seen = this.#seen.get(`${kind} ${name}`) ?? {
      kind,
      name,
      count: 0,
      reported: 0,
      bytes: 0,
      tellAt: 1,
    }
    seen.count++
    seen.bytes += bytes
    this.#seen.set(`${kind} ${name}`, seen)
    if (seen.count < seen.tellAt) return
    seen.tellAt *= 10
    const shown =
      sent === undefined ? sample : `${sample} ${(jsonOf(sent) ?? '').slice(0, maxShownChars)}`
    this.#tell(seen, mask(shown))
  }

  flush(): void {
    for (const seen of this.#seen.values())
      if (seen.count > seen.reported) this.#tell(seen, seen.name)
  }

  #tell(seen: Seen, sample: string): void {
    const { kind, name, count, reported, bytes } = seen
    seen.reported = count
    this.#report({ kind, name, count, more: count - reported, bytes, sample })
  }
}

const maxNameChars = 100
const maxShownChars = 400

export function anomalyText({ kind, count, bytes, sample }: Anomaly): string {
  const what = {
    not_json: 'lines that are no messages were left out',
    line_too_long: 'lines that are too long were left out',
    not_a_message: 'messages that make no sense were left out',
    answer_to_nothing: 'answers that nobody waits for were left out',
    unknown_notification: 'notices that are not known were left out',
    unknown_content: 'content of a kind that cannot be shown was named only',
    refused_request: 'requests that are not offered were refused',
    unknown_update: 'updates that are not known were left out',
    another_session: 'updates about another session were left out',
    outside_of_turn: 'updates outside of a turn were left out',
    turn_too_long: 'updates of a turn that said too much were left out',
    too_many_questions: 'questions were refused because too many are open',
    cancel_ignored: 'cancelled turns were not given back in time',
    late_answer: 'turns were given back late',
  }[kind]
  return `${what} (${count}${bytes > 0 ? `, ${bytes} bytes` : ''})${sample === '' ? '' : `: ${sample}`}`
}
