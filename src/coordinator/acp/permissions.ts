/**
 * Permission requests of an agent (AP4): the request as shown to a person, the digest its answer is
 * bound to, and the answer in ACP terms. Options are chosen by kind, because vendors agree neither
 * on order nor on ids.
 */
import { hash } from 'node:crypto'
import type { RequestPermissionOutcome } from '@agentclientprotocol/sdk'
import { type Fields, fieldsOf } from '../../platform/json.ts'
import { isChoice, isIncidental } from '../../protocol/approvals/allowance-scopes.ts'
import {
  type PermissionKind,
  type PermissionRequest,
  permissionKinds,
} from '../../protocol/turns/agent-update.ts'
import type { ToolCalls } from './tool-calls.ts'
import { lineOf, listOf, oneOf } from './wire.ts'

const maxDepth = 64

const digestOf = (text: string): string => hash('sha256', text)

/**
 * Serializes a value with sorted keys, so that equal values have equal digests (AP4). Undefined
 * when it is nested too deep.
 */
function canonicalJson(value: unknown, depth = 0): string | undefined {
  if (depth > maxDepth) return undefined
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const parts: string[] = []
  const fields = fieldsOf(value)
  const entries = Array.isArray(value)
    ? value.map((each) => ['', each] as const)
    : Object.keys(fields)
        .sort()
        .filter((key) => fields[key] !== undefined)
        .map((key) => [`${JSON.stringify(key)}:`, fields[key]] as const)
  for (const [key, each] of entries) {
    const part = canonicalJson(each, depth + 1)
    if (part === undefined) return undefined
    parts.push(key + part)
  }
  return Array.isArray(value) ? `[${parts.join()}]` : `{${parts.join()}}`
}

/** A chosen option, or the decision; `cancelled` with the turn. */
export type PermissionAnswer =
  | { readonly optionId: string }
  | { readonly choose: 'allow' | 'deny' }
  | { readonly choose: 'cancelled' }

/**
 * Undefined when it is invalid or nested too deep to judge. Long values are shown cut; the digest
 * covers all of them.
 */
export function permissionRequestOf(
  params: unknown,
  calls: ToolCalls,
): PermissionRequest | undefined {
  const exact = canonicalJson(params)
  if (exact === undefined) return undefined
  const { toolCall, options: offered } = fieldsOf(params)
  const options = listOf(offered).flatMap(({ optionId, name, kind: givenKind }) => {
    const kind = oneOf(permissionKinds, givenKind) ?? 'other'
    return typeof optionId === 'string' && optionId === lineOf(optionId)
      ? [{ optionId, name: lineOf(name) ?? optionId, kind }]
      : []
  })
  const requested = options.length === 0 ? undefined : calls.forPermission(fieldsOf(toolCall))
  return requested && { ...requested, options, digest: digestOf(exact) }
}

/**
 * Kinds by preference. "Always" is never chosen for an approval, because Holdfast keeps allowances
 * itself (AG6).
 */
const kinds: Readonly<Record<'allow' | 'deny', readonly PermissionKind[]>> = {
  allow: ['allow_once'],
  deny: ['reject_once', 'reject_always'],
}

export function outcomeOf(
  answer: PermissionAnswer,
  options: PermissionRequest['options'],
): RequestPermissionOutcome {
  const optionId =
    'optionId' in answer
      ? options.find((each) => each.optionId === answer.optionId)?.optionId
      : undefined
  if (optionId !== undefined) return { outcome: 'selected', optionId }
  const wanted = 'choose' in answer ? answer.choose : 'deny'
  // AP14: none of its options refuses a question.
  if (wanted === 'cancelled' || isChoice(options)) return { outcome: 'cancelled' }
  for (const kind of kinds[wanted]) {
    const found = options.find((each) => each.kind === kind)
    if (found) return { outcome: 'selected', optionId: found.optionId }
  }
  // The agent offers no option for this decision.
  return { outcome: 'cancelled' }
}

/**
 * Recognizes repeated tool calls (AG6) by a digest over the whole call, including parts too long to
 * show. Ids are excluded, and so are a model's remarks, the agent's ids and times beside a command.
 * A call without input has no fingerprint, because titles and texts are often cut or generic.
 * Agents describe a call in several updates, so the digest of each field is kept until permission
 * is asked.
 */
const comparedFields = ['kind', 'title', 'rawInput', 'content', 'locations'] as const
type ComparedField = (typeof comparedFields)[number]

/** null: nested too deep to compare. */
export type CallDigests = Readonly<Partial<Record<ComparedField | 'command', string | null>>>

export function addDigests(digests: CallDigests, update: Fields): CallDigests {
  const next: Partial<Record<ComparedField | 'command', string | null>> = { ...digests }
  for (const field of comparedFields) {
    const value =
      field === 'rawInput'
        ? withoutEnvelope(update['rawInput'], update['toolCallId'])
        : update[field]
    if (value === undefined || value === null) continue
    if (field === 'rawInput') next.command = commandDigest(value)
    if (isEmpty(value) || (field === 'kind' && value === 'other')) delete next[field]
    else next[field] = valueDigest(value)
  }
  return next
}

/**
 * Merges the known digests of a call with those of its permission request. Undefined when they
 * contradict each other.
 */
export function mergeDigests(
  reported: CallDigests,
  requested: CallDigests,
): CallDigests | undefined {
  const differ = (field: ComparedField): boolean =>
    reported[field] !== undefined &&
    requested[field] !== undefined &&
    reported[field] !== requested[field]
  const sameCommand = typeof reported.command === 'string' && reported.command === requested.command
  if (differ('kind') || (differ('rawInput') && !sameCommand)) return undefined
  const both: Partial<Record<ComparedField | 'command', string | null>> = {
    ...requested,
    ...reported,
    command: reported.command ?? requested.command ?? null,
  }
  for (const field of ['title', 'content', 'locations'] as const)
    if (differ(field)) both[field] = digestOf(JSON.stringify([reported[field], requested[field]]))
  return both
}

/** null when the call cannot be recognized. */
export function fingerprintOf(digests: CallDigests): string | null {
  const { kind = '', title = '', rawInput, content, locations = '', command } = digests
  if (kind === valueDigest('execute') && command)
    return digestOf(JSON.stringify(['command', command]))
  const all = [kind, title, rawInput, content ?? '', locations]
  if (rawInput === undefined || [...all, content].includes(null)) return null
  return digestOf(JSON.stringify(['call', ...all]))
}

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

function valueDigest(value: unknown): string | null {
  const text = canonicalJson(value)
  return text === undefined ? null : digestOf(text)
}

function commandDigest(rawInput: unknown): string | null {
  const { command, ...rest } = fieldsOf(rawInput)
  const isCommand =
    typeof command === 'string'
      ? command.trim() !== ''
      : Array.isArray(command) && command.length > 0
  if (!isCommand) return null
  return valueDigest({ ...withoutIncidental(rest), command })
}

/**
 * An object of the input, however deep, that repeats the id of its own call is the agent's record
 * of the request, not the tool's arguments alone: what it adds of its own differs each time.
 * Variables are arguments, whatever they are called.
 */
function withoutEnvelope(value: unknown, toolCallId: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((each) => withoutEnvelope(each, toolCallId, depth + 1))
  const entries = Object.entries(value).map(
    ([key, each]) =>
      [key, isVariables.test(key) ? each : withoutEnvelope(each, toolCallId, depth + 1)] as const,
  )
  const isEnvelope = entries.some(([key, each]) => each === toolCallId && isIncidental(key, each))
  return isEnvelope ? withoutIncidental(Object.fromEntries(entries)) : Object.fromEntries(entries)
}

const isVariables = /^env(?:ironment)?$/i

const withoutIncidental = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key, value]) => !isIncidental(key, value)))
