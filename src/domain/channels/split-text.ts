/**
 * Cuts a long text into parts that a platform takes, where a reader would: between paragraphs, then
 * lines, then sentences, then words. A block of code that is cut is closed and opened again. The
 * same text gives the same parts, so a position in them lasts. Pure.
 */
const fence = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm
/** In the order of preference; each ends a part behind what it finds. */
const boundaries = [/\n{2,}/g, /\n/g, /[.!?。！？…]["'”’)\]」』]?\s*/gu, /\s+/g]
/** A part is not cut shorter than this share of what fits, as long as there is another place. */
const least = 0.5
/** A mark that is longer is not closed and opened again. */
const maxMark = 40
const maxFenceLine = 60

/** Measures a part as the platform does, which may count what the text becomes there. */
export type MeasureText = (text: string) => number

export function splitText(
  text: string,
  limit: number,
  measure: MeasureText = (each) => each.length,
): string[] {
  const parts: string[] = []
  let rest = text.trim()
  while (rest.length > limit || measure(rest) > limit) {
    const { part, tail } = firstPart(rest, limit, measure)
    parts.push(part)
    rest = tail
  }
  if (rest !== '') parts.push(rest)
  return parts
}

/** The longest first part that fits when measured. */
function firstPart(text: string, limit: number, measure: MeasureText) {
  for (let room = limit; ; room = Math.floor(room * 0.8)) {
    const cut = cutText(text, room)
    if (measure(cut.part) <= limit || room < 16) return cut
  }
}

function cutText(text: string, limit: number): { part: string; tail: string } {
  // Room for what closes a block of code.
  const mark = longestMark(text.slice(0, limit))
  const at = cutAt(text, Math.max(1, limit - mark - 1))
  const head = text.slice(0, at).trimEnd()
  const tail = text.slice(at)
  const open = openFence(head)
  if (!open) return { part: head, tail: tail.trimStart() }
  const part = `${head}\n${open.mark}`
  const [first = '', ...after] = tail.trimStart().split('\n')
  if (closes(first, open.mark)) return { part, tail: after.join('\n').trimStart() }
  const again = `${open.line}\n${tail.replace(/^\n+/, '')}`
  // A text that does not get shorter would be cut for ever.
  if (again.length >= text.length) return { part: head, tail: tail.trimStart() }
  return { part, tail: again }
}

/** Only a mark at least as long, with nothing behind it, closes a block. */
const closes = (line: string, mark: string): boolean =>
  line.startsWith(mark) && [...line.trimEnd()].every((each) => each === mark.charAt(0))

function longestMark(text: string): number {
  let longest = 0
  for (const [, mark = ''] of text.matchAll(fence))
    if (mark.length <= maxMark) longest = Math.max(longest, mark.length)
  return longest
}

function cutAt(text: string, limit: number): number {
  const window = text.slice(0, limit)
  for (const boundary of boundaries) {
    let at = 0
    for (const found of window.matchAll(boundary)) at = found.index + found[0].length
    if (at > limit * least) return at
  }
  return insideCharacter(text, limit) ? limit - 1 : limit
}

const insideCharacter = (text: string, at: number): boolean =>
  at > 1 && /[\uDC00-\uDFFF]/.test(text.charAt(at))

/** The block of code that a text leaves open. */
function openFence(text: string): { mark: string; line: string } | undefined {
  let open: { mark: string; line: string } | undefined
  for (const [line, mark = '', info = ''] of text.matchAll(fence)) {
    if (open) {
      if (closes(`${mark}${info}`, open.mark)) open = undefined
    } else if (mark.length <= maxMark && !(mark.startsWith('`') && info.includes('`')))
      open = { mark, line: line.trim().slice(0, Math.max(mark.length, maxFenceLine)) }
  }
  return open
}
