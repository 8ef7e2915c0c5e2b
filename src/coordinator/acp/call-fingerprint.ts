/**
 * Recognizes repeated tool calls (AG6) by a digest over the whole call, including parts too long to show. Ids are excluded, and
 * so are a model's remarks beside a command. A call without input has no fingerprint, because titles and texts are often cut or
 * generic. Agents describe a call in several updates, so the digest of each field is kept until permission is asked.
 */

import { descriptiveKeys } from '../../protocol/approvals/allowance-scopes.ts'
import { canonicalJson, digestOf } from './canonical-json.ts'
import { type Fields, fieldsOf } from './read-fields.ts'

const comparedFields = ['kind', 'title', 'rawInput', 'content', 'locations'] as const
type ComparedField = (typeof comparedFields)[number]

/** null: nested too deep to compare. */
export type CallDigests = Readonly<Partial<Record<ComparedField | 'command', string | null>>>

export function addDigests(known: CallDigests, update: Fields): CallDigests {
  const next: Partial<Record<ComparedField | 'command', string | null>> = { ...known }
  for (const field of comparedFields) {
    const value = update[field]
    if (value === undefined || value === null) continue
    if (field === 'rawInput') next.command = commandDigest(value)
    if (isEmpty(value) || (field === 'kind' && value === 'other')) delete next[field]
    else next[field] = valueDigest(value)
  }
  return next
}

/** Merges the known digests of a call with those of its permission request. Undefined when they contradict each other. */
export function mergeDigests(known: CallDigests, asked: CallDigests): CallDigests | undefined {
  const differ = (field: ComparedField): boolean =>
    known[field] !== undefined && asked[field] !== undefined && known[field] !== asked[field]
  const sameCommand = typeof known.command === 'string' && known.command === asked.command
  if (differ('kind') || (differ('rawInput') && !sameCommand)) return undefined
  const both: Partial<Record<ComparedField | 'command', string | null>> = {
    ...asked,
    ...known,
    command: known.command ?? asked.command ?? null,
  }
  for (const field of ['title', 'content', 'locations'] as const)
    if (differ(field)) both[field] = digestOf(JSON.stringify([known[field], asked[field]]))
  return both
}

/** null when the call cannot be recognized. */
export function fingerprintOf(digests: CallDigests): string | null {
  const { kind = '', title = '', rawInput, content, locations = '', command } = digests
  if (kind === valueDigest('execute') && command) return digestOf(JSON.stringify(['command', command]))
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
  const isCommand = typeof command === 'string' ? command.trim() !== '' : Array.isArray(command) && command.length > 0
  if (!isCommand) return null
  const other = Object.fromEntries(
    Object.entries(rest).filter(([key, value]) => !(descriptiveKeys.has(key) && typeof value === 'string')),
  )
  return valueDigest({ ...other, command })
}
