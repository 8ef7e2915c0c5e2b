/**
 * How far a reader has come in a session: a turn, the item in it, and the characters of an item
 * that still grows. What was open is named, because it is told again. Nothing of a reader is kept.
 * Pure.
 */
import type { Item } from './turn-items.ts'

export interface Position {
  readonly turnId: string
  /** Items that were told whole. */
  readonly items: number
  /** Characters of the next one that were told. */
  readonly chars: number
  /** Items among those told that were not over. */
  readonly open: readonly number[]
}

/** More than an agent runs at a time; the newest are named. */
const maxOpen = 50

/** Stands for a position where nothing was told yet. */
export const beginning = 'beginning'

/** Before all that happened in a turn. */
export const beginOfTurn = (turnId: string): Position => ({ turnId, items: 0, chars: 0, open: [] })

export const positionText = ({ turnId, items, chars, open }: Position): string =>
  [turnId, items, chars, ...(open.length > 0 ? [open.join('-')] : [])].join('.')

const form = /^([^.\s]{1,200})\.(\d{1,7})\.(\d{1,8})(?:\.(\d{1,7}(?:-\d{1,7})*))?$/

/** Undefined for a text that is no position. */
export function parsePosition(text: string): Position | undefined {
  const [, turnId, items, chars, open = ''] = form.exec(text) ?? []
  if (turnId === undefined) return undefined
  const named = open === '' ? [] : open.split('-').map(Number)
  return { turnId, items: Number(items), chars: Number(chars), open: named.slice(-maxOpen) }
}

export interface NewItem {
  /** Place in the turn: the same again replaces it, but a text goes on. */
  readonly index: number
  readonly item: Item
}

export interface ReadItems {
  readonly items: readonly NewItem[]
  readonly next: Position
  /** There was more than fits. */
  readonly isCut: boolean
}

/**
 * What a turn has had since a position in it, as much as fits into `maxChars`; one tool call always
 * does. `isOver`: nothing of it grows any more.
 */
export function itemsSince(
  items: readonly Item[],
  from: Position,
  { isOver, maxChars }: { readonly isOver: boolean; readonly maxChars: number },
): ReadItems {
  const found: NewItem[] = []
  let chars = 0
  const add = (index: number, item: Item, size: number): void => {
    found.push({ index, item })
    chars += size
  }
  for (const index of from.open) {
    const item = items[index]
    if (item && index < from.items) add(index, item, sizeOf(item))
  }
  // What is open for long leaves room for what is new.
  chars = Math.min(chars, maxChars / 2)
  let index = Math.min(from.items, items.length)
  let begun = from.chars
  for (; index < items.length && chars < maxChars; index++) {
    const item = items[index] as Item
    if (grows(item)) {
      const text = piece(item.text, begun, maxChars - chars)
      if (text !== '') add(index, { ...item, text }, text.length)
      begun += text.length
      if (begun < item.text.length) break
      // The last one may go on.
      if (index === items.length - 1 && !isOver) break
    } else add(index, item, sizeOf(item))
    begun = 0
  }
  const rest = items[index]
  const isCut = rest !== undefined && !(grows(rest) && begun >= rest.text.length)
  const open = isOver ? [] : items.slice(0, index).flatMap((item, at) => (isOpen(item) ? [at] : []))
  const next = { turnId: from.turnId, items: index, chars: begun, open: open.slice(-maxOpen) }
  return { items: found, next, isCut }
}

/** At least one whole character. */
function piece(text: string, from: number, atMost: number): string {
  const cut = text.slice(from, from + Math.max(2, Math.floor(atMost)))
  const isSplit = cut.length > 1 && from + cut.length < text.length && /[\ud800-\udbff]$/.test(cut)
  return isSplit ? cut.slice(0, -1) : cut
}

type Words = Extract<Item, { kind: 'text' | 'thought' }>

const grows = (item: Item): item is Words => item.kind === 'text' || item.kind === 'thought'

const sizeOf = (item: Item): number => JSON.stringify(item).length

/** Told again while its turn runs. A plan and a compaction may change until the end. */
function isOpen(item: Item): boolean {
  switch (item.kind) {
    case 'tool':
      return item.call.status === 'pending' || item.call.status === 'in_progress'
    case 'permission':
      return item.permission.outcome === null
    case 'question':
      return item.question.outcome === null
    case 'strand':
      return item.strand.state === 'running' || item.strand.state === 'asking'
    default:
      return item.kind === 'plan' || item.kind === 'compaction'
  }
}
