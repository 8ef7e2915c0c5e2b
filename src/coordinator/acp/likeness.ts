/**
 * What makes two tool calls the same one asked twice (AG6): a digest of what would be done, over the whole of it, however much of that is
 * shown. The names that differ each time are not in it, and of a command neither are the words a model puts beside it; its text is, to
 * the last character. Agents tell of a call in pieces, so the digest of each part is kept until the question comes.
 */
import { canonical, digestOf } from './canonical.ts'
import { type Fields, fieldsOf } from './shown.ts'

const parts = ['kind', 'title', 'rawInput', 'content', 'locations'] as const
type Part = (typeof parts)[number]

/** null: nested so deep that it cannot be compared. */
export type Prints = Readonly<Partial<Record<Part | 'command', string | null>>>

/** What a model says about its command, in other words each time. */
const words: ReadonlySet<string> = new Set(['description', 'explanation', 'justification', 'reason'])

export function printed(known: Prints, update: Fields): Prints {
  const next: Partial<Record<Part | 'command', string | null>> = { ...known }
  for (const part of parts) {
    const value = update[part]
    if (value === undefined || value === null) continue
    if (part === 'rawInput') next.command = commandPrint(value)
    if (isEmpty(value)) delete next[part]
    else next[part] = print(value)
  }
  return next
}

/** null: there is nothing to know it by again. */
export function likenessOf(prints: Prints): string | null {
  const { kind = '', title = '', rawInput, content, locations = '', command } = prints
  if (kind === print('execute') && command) return digestOf(JSON.stringify(['command', command]))
  const all = [kind, title, rawInput ?? '', content ?? '', locations]
  if ((rawInput === undefined && content === undefined) || [...all, rawInput, content].includes(null)) return null
  return digestOf(JSON.stringify(['call', ...all]))
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0

function print(value: unknown): string | null {
  const text = canonical(value)
  return text === undefined ? null : digestOf(text)
}

function commandPrint(rawInput: unknown): string | null {
  const { command, ...rest } = fieldsOf(rawInput)
  const isCommand = typeof command === 'string' ? command.trim() !== '' : Array.isArray(command) && command.length > 0
  if (!isCommand) return null
  const other = Object.fromEntries(Object.entries(rest).filter(([key, value]) => !(words.has(key) && typeof value === 'string')))
  return print({ ...other, command })
}
