/**
 * What makes two tool calls the same one asked twice (AG6): a digest of what would be done, over the whole of it, however much of that is
 * shown. The names that differ each time are not in it, and of a command neither are the words a model puts beside it; its text is, to
 * the last character. Without its input a call has no likeness: titles and texts are often cut, or the same for every call. Agents tell of a
 * call in pieces, so the digest of each part is kept until the question comes.
 */

import { spokenWords } from '../../protocol/approvals/allowance-scopes.ts'
import { canonical, digestOf } from './canonical.ts'
import { type Fields, fieldsOf } from './shown.ts'

const parts = ['kind', 'title', 'rawInput', 'content', 'locations'] as const
type Part = (typeof parts)[number]

/** null: nested so deep that it cannot be compared. */
export type Prints = Readonly<Partial<Record<Part | 'command', string | null>>>

export function printed(known: Prints, update: Fields): Prints {
  const next: Partial<Record<Part | 'command', string | null>> = { ...known }
  for (const part of parts) {
    const value = update[part]
    if (value === undefined || value === null) continue
    if (part === 'rawInput') next.command = commandPrint(value)
    if (isEmpty(value) || (part === 'kind' && value === 'other')) delete next[part]
    else next[part] = print(value)
  }
  return next
}

/** What is known of a call and what a question says of it, together; undefined: they contradict each other, so nobody knows what would be done. */
export function agreed(known: Prints, asked: Prints): Prints | undefined {
  const differ = (part: Part): boolean => known[part] !== undefined && asked[part] !== undefined && known[part] !== asked[part]
  const sameCommand = typeof known.command === 'string' && known.command === asked.command
  if (differ('kind') || (differ('rawInput') && !sameCommand)) return undefined
  const both: Partial<Record<Part | 'command', string | null>> = {
    ...asked,
    ...known,
    command: known.command ?? asked.command ?? null,
  }
  for (const part of ['title', 'content', 'locations'] as const)
    if (differ(part)) both[part] = digestOf(JSON.stringify([known[part], asked[part]]))
  return both
}

/** null: there is nothing to know it by again. */
export function likenessOf(prints: Prints): string | null {
  const { kind = '', title = '', rawInput, content, locations = '', command } = prints
  if (kind === print('execute') && command) return digestOf(JSON.stringify(['command', command]))
  const all = [kind, title, rawInput, content ?? '', locations]
  if (rawInput === undefined || [...all, content].includes(null)) return null
  return digestOf(JSON.stringify(['call', ...all]))
}

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

function print(value: unknown): string | null {
  const text = canonical(value)
  return text === undefined ? null : digestOf(text)
}

function commandPrint(rawInput: unknown): string | null {
  const { command, ...rest } = fieldsOf(rawInput)
  const isCommand = typeof command === 'string' ? command.trim() !== '' : Array.isArray(command) && command.length > 0
  if (!isCommand) return null
  const other = Object.fromEntries(
    Object.entries(rest).filter(([key, value]) => !(spokenWords.has(key) && typeof value === 'string')),
  )
  return print({ ...other, command })
}
