/** Width of text in terminal cells: Japanese characters take two, combining marks none. Pure. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const colours = /\u001b\[[\d;]*m/g
const plain = /^[\x20-\x7e]*$/

/** Created on demand: that takes 14 ms, and most text is ASCII. */
let segmenter: Intl.Segmenter | undefined

function charactersOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

export function displayWidth(text: string): number {
  const bare = text.replace(colours, '')
  if (plain.test(bare)) return bare.length
  let width = 0
  for (const { segment } of charactersOf(bare)) width += wide.test(segment) ? 2 : 1
  return width
}

export const padTo = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)))

/**
 * Cuts text to `width` cells with … at the end if it does not fit. Only for text without colours.
 */
export function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let result = ''
  let used = 1
  for (const { segment } of charactersOf(text)) {
    used += displayWidth(segment)
    if (used > width) break
    result += segment
  }
  return `${result}…`
}
