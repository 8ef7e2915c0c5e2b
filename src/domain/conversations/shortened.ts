/** Shortens a text and says how much is missing. Pure. */

/** Cuts between grapheme clusters, never inside one. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  let end = 0
  for (const { index, segment } of graphemes.segment(text.slice(0, max + 100))) {
    if (index + segment.length > max) break
    end = index + segment.length
  }
  return `${text.slice(0, end).toWellFormed()}… (${text.length - end} more characters)`
}

/** Created on first use, because it takes 14 ms. */
let graphemes: Intl.Segmenter | undefined
