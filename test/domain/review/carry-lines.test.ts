/**
 * RV2: comments are carried from state to state onto the line that is meant, or onto none. Random
 * histories tell the true line; two simpler rules are measured beside it, and must fail.
 */
import { expect, test } from 'vitest'
import { carrier, carryRanges, linesOf } from '../../../src/domain/review/carry-lines.ts'
import { editHistory, type Version, type WrittenLine } from '../../support/edit-history.ts'
import { amount } from '../../support/extent.ts'

type Rule = (before: readonly string[], after: readonly string[]) => (at: number) => number

const theRule: Rule = carrier
const sameNumber: Rule = (_, after) => (at) => (at < after.length ? at : -1)
const nearestEqual: Rule = (before, after) => (at) => {
  for (let away = 0; away < after.length; away++)
    for (const to of [at - away, at + away]) if (after[to] === before[at]) return to
  return -1
}

const textsOf = (version: Version) => version.map(({ text }) => text)

/** Whether a line stands between the same lines as before, as far as a place that was chosen. */
function isAsWellPlaced(before: Version, at: number, after: Version, to: number, chosen: number) {
  const near = (from: number): number => {
    let count = 0
    for (const step of [-1, 1])
      for (let n = 1; n <= 64 && before[at + n * step]?.text === after[from + n * step]?.text; n++)
        count++
    return count
  }
  return near(to) >= near(chosen)
}

function measure(rule: Rule, histories: number) {
  const found = { placed: 0, otherText: 0, twin: 0, otherLine: 0, lost: 0, lostThough: 0 }
  const count = (before: Version, after: Version, at: number, to: number, meant: WrittenLine) => {
    const isMeant = ({ id, text }: WrittenLine) => id === meant.id && text === meant.text
    const truth = after.findIndex(isMeant)
    if (to < 0) {
      found.lost++
      if (truth >= 0) found.lostThough++
      return
    }
    found.placed++
    if (after[to]?.text !== meant.text) found.otherText++
    else if (after[to]?.id !== meant.id) {
      found.otherLine++
      if (truth >= 0 && isAsWellPlaced(before, at, after, truth, to)) found.twin++
    }
  }
  for (let seed = 1; seed <= histories; seed++) {
    const versions = editHistory(seed, 8, 6)
    // Both sides: what was there before a turn, and what it wrote.
    for (const begin of [0, 1]) follow(rule, versions, begin, count)
  }
  return found
}

function follow(
  rule: Rule,
  versions: readonly Version[],
  begin: number,
  count: (before: Version, after: Version, at: number, to: number, meant: WrittenLine) => void,
): void {
  const first = versions[begin] as Version
  for (let comment = 0; comment < 10; comment++) {
    const line = Math.floor(((comment + 0.5) * first.length) / 10)
    const meant = first[line]
    if (!meant) continue
    const places = new Map<Version, number>([[first, line]])
    for (let turn = begin + 1; turn < versions.length; turn++) {
      const [before, after] = [versions[turn - 1], versions[turn]] as [Version, Version]
      const at = places.get(before) ?? -1
      const known = places.get(after)
      const to = known ?? (at < 0 ? -1 : rule(textsOf(before), textsOf(after))(at))
      places.set(after, to)
      count(before, after, at, to, meant)
      // Followed until it is wrong.
      if (to >= 0 && after[to]?.id !== meant.id) break
    }
  }
}

const histories = amount(60, 500)

test('[RV2] in random histories with rewinds no comment stands on another text or on a twin, and few are lost', () => {
  const { placed, otherText, twin, otherLine, lost, lostThough } = measure(theRule, histories)
  expect(placed).toBeGreaterThan(histories * 20)
  expect({ otherText, twin }).toEqual({ otherText: 0, twin: 0 })
  expect(otherLine / placed).toBeLessThanOrEqual(0.001)
  expect(lostThough / (placed + lost)).toBeLessThanOrEqual(0.1)
})

test('[RV2] the same line number, and the nearest line of the same text, are wrong in those histories', () => {
  expect(measure(sameNumber, 20).otherText).toBeGreaterThan(0)
  expect(measure(nearestEqual, 20).twin).toBeGreaterThan(0)
})

const file = (...lines: string[]) => lines

test('[RV2] a range of lines is carried whole, in order and without a gap, or not at all', () => {
  const before = file('import a', 'const first = 1', 'const second = 2', 'const third = 3', 'end')
  const both = { line: 2, endLine: 3 }
  const moved = file('new', 'import a', 'const first = 1', 'const second = 2', 'const third = 3')
  expect(carryRanges(before, moved, [both])).toEqual([{ line: 3, endLine: 4 }])
  const split = before.toSpliced(2, 0, 'between')
  expect(carryRanges(before, split, [both, { line: 3, endLine: 4 }])).toEqual([
    undefined,
    { line: 4, endLine: 5 },
  ])
})

test('[RV2] a bracket in an unmistakable block is carried; a line whose twin is as well placed, and one that was copied, are not', () => {
  const body = file('function total() {', '  return 12', '}')
  expect(carrier(body, file('// sums', ...body))(2)).toBe(3)
  const alike = file('}', '', '}', '', '}')
  expect(carrier(alike, file('}', '', '}'))(2)).toBe(-1)
  expect(carrier(body, file(...body, ...body))(1)).toBe(-1)
})

test('[RV2] files that are too long, or have too many edits between them, are not compared', () => {
  const long = Array.from({ length: 20_001 }, (_, n) => `line ${n}`)
  expect(carrier(long, [...long])(5)).toBe(-1)
  const one = Array.from({ length: 3000 }, (_, n) => `old ${n}`)
  expect(carrier(['kept here', ...one], ['kept here', ...one.map((each) => `${each}!`)])(0)).toBe(
    -1,
  )
})

test('[RV2] both kinds of line ends are one, and the last one begins no line', () => {
  expect(linesOf('a\r\nb\n\nc\n')).toEqual(['a', 'b', '', 'c'])
  expect(linesOf('')).toEqual([])
})
