/**
 * Carries the lines that a comment is about from one version of a file to the next (RV2). Pure.
 *
 * A comment on a wrong line is worse than none. A line is carried only where nothing else could be
 * meant: the versions have it in common, a line that is unmistakable stands in the same unbroken
 * run, no twin is as well placed, and it was not copied. Everything else is lost, edited and moved
 * lines too, and the comment is outdated.
 */
import { type Lines, matchLines, numbered } from './line-matches.ts'

/** A text with more lines, or more edits between two, is not compared. */
const maxLines = 20_000
const maxEdits = 2000
/** Neighbours that are compared on each side. Repetitive files need many. */
const reach = 64

/** Lines without their ends; a carriage return is part of the end. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Lines from and to, both counted from 1 and included. */
export interface LineRange {
  readonly line: number
  readonly endLine: number
}

/** Where the ranges of lines are in the next version; undefined: lost. */
export function carryRanges(
  before: readonly string[],
  after: readonly string[],
  ranges: readonly LineRange[],
): (LineRange | undefined)[] {
  const carry = carrier(before, after)
  return ranges.map(({ line, endLine }) => {
    const first = carry(line - 1)
    for (let at = line; at < endLine; at++)
      // All of them, in order and without a gap.
      if (first < 0 || carry(at) !== first + at - line + 1) return undefined
    return first < 0 ? undefined : { line: first + 1, endLine: first + 1 + endLine - line }
  })
}

/** Where a line of `before` is in `after`, both counted from 0; -1: lost. */
export function carrier(
  before: readonly string[],
  after: readonly string[],
): (at: number) => number {
  const isTooLong = Math.max(before.length, after.length) > maxLines
  const [ours, theirs] = numbered(before, after) as [Lines, Lines]
  const matched = isTooLong ? undefined : matchLines(ours, theirs, maxEdits)
  if (!matched) return () => -1
  const [placesBefore, placesAfter] = [placesOf(ours), placesOf(theirs)]
  const isCopied = copies(before, after)
  const isLandmark = (at: number): boolean =>
    hasWords(before[at] ?? '') &&
    placesBefore.get(ours[at] ?? -1)?.length === 1 &&
    placesAfter.get(ours[at] ?? -1)?.length === 1
  return (at) => {
    const to = matched[at] ?? -1
    if (to < 0 || isCopied(at)) return -1
    const own = agreement(ours, theirs, at, to)
    let hasLandmark = false
    for (let near = at - own.above; near <= at + own.below && !hasLandmark; near++)
      hasLandmark = near >= 0 && near < ours.length && isLandmark(near)
    if (!hasLandmark) return -1
    const isTwin = (other: Agreement): boolean =>
      other.above > own.above ||
      other.below > own.below ||
      other.above + other.below >= own.above + own.below
    const number = ours[at] ?? -1
    for (const other of placesAfter.get(number) ?? [])
      if (other !== to && isTwin(agreement(ours, theirs, at, other))) return -1
    for (const other of placesBefore.get(number) ?? [])
      if (other !== at && isTwin(agreement(ours, theirs, other, to))) return -1
    return to
  }
}

interface Agreement {
  readonly above: number
  readonly below: number
}

/** How many neighbours are equal, one after the other. The ends of both agree. */
function agreement(before: Lines, after: Lines, at: number, to: number): Agreement {
  const count = (step: 1 | -1): number => {
    for (let n = 1; n <= reach; n++) {
      const [one, other] = [before[at + n * step], after[to + n * step]]
      if (one !== other) return n - 1
      if (one === undefined) return reach
    }
    return reach
  }
  return { above: count(-1), below: count(1) }
}

/** Whether a line and its neighbour stand together more often than before: they were copied. */
function copies(before: readonly string[], after: readonly string[]): (at: number) => boolean {
  const [had, has] = [pairsOf(before), pairsOf(after)]
  const grew = (at: number): boolean => {
    const pair = `${before[at - 1]}\n${before[at]}`
    return (has.get(pair) ?? 0) > (had.get(pair) ?? 0)
  }
  return (at) => (at > 0 && grew(at)) || (at + 1 < before.length && grew(at + 1))
}

function pairsOf(lines: readonly string[]): Map<string, number> {
  const pairs = new Map<string, number>()
  for (let at = 1; at < lines.length; at++) {
    const pair = `${lines[at - 1]}\n${lines[at]}`
    if (hasWords(pair)) pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

/** A line of brackets alone stands for nothing. */
const hasWords = (text: string): boolean => (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 3

function placesOf(lines: Lines): Map<number, number[]> {
  const places = new Map<number, number[]>()
  for (const [at, line] of lines.entries()) {
    const same = places.get(line)
    if (same) same.push(at)
    else places.set(line, [at])
  }
  return places
}
