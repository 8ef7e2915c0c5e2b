/** Tells which words of a line were changed: a removed one is compared with the added one. */
import { diffWordsWithSpace } from 'diff'
import type { Piece } from '../markdown/highlight.ts'
import { type PatchLine, splitRows } from './patch.ts'

/** From one character up to another of a line. */
export type Range = readonly [from: number, to: number]

/** Longer lines are no words that anybody reads. */
const longestLine = 500
/** Where more than this share has changed, the line was written anew. */
const mostChanged = 0.7
/** More pairs in one place are no edits of lines. */
const mostPairs = 200

export function changedWords(
  lines: readonly PatchLine[],
): ReadonlyMap<PatchLine, readonly Range[]> {
  const found = new Map<PatchLine, readonly Range[]>()
  const pairs = splitRows(lines).filter(
    ({ left, right }) => left?.mark === '-' && right?.mark === '+',
  )
  for (const { left, right } of pairs.slice(0, mostPairs)) {
    if (!left || !right) continue
    const marks = compared(left.text, right.text)
    if (!marks) continue
    found.set(left, marks.removed)
    found.set(right, marks.added)
  }
  return found
}

function compared(before: string, after: string) {
  if (before.length > longestLine || after.length > longestLine) return undefined
  const removed: Range[] = []
  const added: Range[] = []
  let [at, now, kept] = [0, 0, 0]
  for (const part of diffWordsWithSpace(before, after)) {
    const { length } = part.value
    if (part.removed) removed.push([at, at + length])
    else if (part.added) added.push([now, now + length])
    else if (part.value.trim() !== '') kept += length
    if (!part.added) at += length
    if (!part.removed) now += length
  }
  const longest = Math.max(before.trim().length, after.trim().length)
  return kept >= longest * (1 - mostChanged) ? { removed, added } : undefined
}

/** The pieces of a line with what was changed wrapped in a piece of its own. */
export function withMarks(pieces: readonly Piece[], ranges: readonly Range[], at = 0): Piece[] {
  const marked: Piece[] = []
  let from = at
  for (const piece of pieces) {
    const { length } = textOf(piece)
    if (typeof piece === 'string') marked.push(...cut(piece, ranges, from))
    else marked.push({ kind: piece.kind, pieces: withMarks(piece.pieces, ranges, from) })
    from += length
  }
  return marked
}

const textOf = (piece: Piece): string =>
  typeof piece === 'string' ? piece : piece.pieces.map(textOf).join('')

function cut(text: string, ranges: readonly Range[], at: number): Piece[] {
  const parts: Piece[] = []
  let done = 0
  for (const [from, to] of ranges) {
    const [begin, end] = [Math.max(from - at, done), Math.min(to - at, text.length)]
    if (begin >= end) continue
    if (begin > done) parts.push(text.slice(done, begin))
    parts.push({ kind: 'word', pieces: [text.slice(begin, end)] })
    done = end
  }
  if (done < text.length) parts.push(text.slice(done))
  return parts
}
