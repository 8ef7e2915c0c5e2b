/**
 * Finds the lines that two versions of a text have in common, in the same order, with the fewest
 * edits (Myers). Pure; bounded by the number of edits and not by time, so that every machine
 * answers the same.
 */

/** A line as a number: equal lines have the same. */
export type Lines = Int32Array

export function numbered(...texts: readonly (readonly string[])[]): Lines[] {
  const numbers = new Map<string, number>()
  return texts.map((lines) =>
    Int32Array.from(lines, (line) => {
      const number = numbers.get(line)
      if (number !== undefined) return number
      numbers.set(line, numbers.size)
      return numbers.size - 1
    }),
  )
}

/**
 * For each line of `before` its line in `after`, or -1. Undefined: they differ by more than
 * `maxEdits` lines.
 */
export function matchLines(before: Lines, after: Lines, maxEdits: number): Int32Array | undefined {
  const matched = new Int32Array(before.length).fill(-1)
  let start = 0
  const shorter = Math.min(before.length, after.length)
  while (start < shorter && before[start] === after[start]) matched[start] = start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) {
    end++
    matched[before.length - end] = after.length - end
  }
  const inner = [
    before.subarray(start, before.length - end),
    after.subarray(start, after.length - end),
  ] as const
  const steps = furthestSteps(...inner, maxEdits)
  if (!steps) return undefined
  for (const [at, to] of matchesAlong(...inner, steps)) matched[start + at] = start + to
  return matched
}

/** For each number of edits: how far each diagonal reaches in `before`. */
function furthestSteps(before: Lines, after: Lines, maxEdits: number): Int32Array[] | undefined {
  const most = Math.min(maxEdits, before.length + after.length)
  const steps: Int32Array[] = []
  let last: Int32Array = new Int32Array(3)
  for (let edits = 0; edits <= most; edits++) {
    // Diagonal k is at k + edits + 1, so that both its neighbours are inside.
    const reached = new Int32Array(2 * edits + 3)
    steps.push(reached)
    for (let k = -edits; k <= edits; k += 2) {
      let at = edits === 0 ? 0 : beginOf(last, edits, k)
      while (at < before.length && at - k < after.length && before[at] === after[at - k]) at++
      reached[k + edits + 1] = at
      if (at >= before.length && at - k >= after.length) return steps
    }
    last = reached
  }
  return undefined
}

/** Where a diagonal begins after one more edit: from the neighbour that reaches further. */
const beginOf = (last: Int32Array, edits: number, k: number): number =>
  isAdded(last, edits, k) ? (last[k + edits + 1] ?? 0) : (last[k + edits - 1] ?? 0) + 1

const isAdded = (last: Int32Array, edits: number, k: number): boolean =>
  k === -edits || (k !== edits && (last[k + edits - 1] ?? 0) < (last[k + edits + 1] ?? 0))

function matchesAlong(
  before: Lines,
  after: Lines,
  steps: readonly Int32Array[],
): (readonly [number, number])[] {
  const matches: (readonly [number, number])[] = []
  let [at, to] = [before.length, after.length]
  for (let edits = steps.length - 1; edits >= 0; edits--) {
    const k = at - to
    const last = steps[edits - 1]
    const begin = last ? beginOf(last, edits, k) : 0
    while (at > begin) matches.push([--at, --to])
    if (!last) break
    if (isAdded(last, edits, k)) to--
    else at--
  }
  return matches
}
