/** Which parts of a text were typed into the search, to mark them. Pure. */
export interface TextPart {
  readonly text: string
  readonly isMarked: boolean
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Ranges may overlap, and come in any order. */
export function partsBy(text: string, ranges: readonly Range[]): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (end <= at) continue
    const from = Math.max(start, at)
    if (from > at) parts.push({ text: text.slice(at, from), isMarked: false })
    parts.push({ text: text.slice(from, end), isMarked: true })
    at = end
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMarked: false })
  return parts
}

/** Each typed word, wherever it stands. */
export function rangesOf(text: string, typed: string): Range[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const lower = text.toLowerCase()
  // A letter that becomes two in lower case would move what comes behind it.
  if (lower.length !== text.length) return []
  return words.flatMap((word) => {
    const found: Range[] = []
    for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length))
      found.push({ start: at, end: at + word.length })
    return found
  })
}
