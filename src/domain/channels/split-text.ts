/**
 * Cuts a long text into parts that a platform takes, where a reader would: between paragraphs, then
 * lines, then sentences, then words. A block of code that is cut is closed and opened again. The
 * same text gives the same parts, so a position in them lasts. Pure.
 */
const fence = /^ {0,3}(`{3,}|~{3,})([^\n`]*)$/gm
/** In the order of preference; each ends a part behind what it finds. */
const boundaries = [/\n{2,}/g, /\n/g, /[.!?。！？…]["'”’)\]」』]?\s*/gu, /\s+/g]
/** A part is not cut shorter than this share of what fits, as long as there is another place. */
const least = 0.5

export function splitText(text: string, limit: number): string[] {
  const parts: string[] = []
  let rest = text.trim()
  while (rest.length > limit) {
    // Room for what closes a block of code.
    const at = cutAt(rest, limit - 8)
    const head = rest.slice(0, at).trimEnd()
    const open = openFence(head)
    parts.push(open ? `${head}\n${open.mark}` : head)
    const tail = rest.slice(at)
    rest = open ? `${open.line}\n${tail.replace(/^\n+/, '')}` : tail.trimStart()
  }
  if (rest !== '') parts.push(rest)
  return parts
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
  /[\uDC00-\uDFFF]/.test(text.charAt(at))

/** The block of code that a text leaves open. */
function openFence(text: string): { mark: string; line: string } | undefined {
  let open: { mark: string; line: string } | undefined
  for (const [line, mark = ''] of text.matchAll(fence)) {
    if (!open) open = { mark: mark.slice(0, 3), line: line.trim().slice(0, 40) }
    else if (mark.startsWith(open.mark)) open = undefined
  }
  return open
}
