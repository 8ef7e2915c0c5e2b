/** What is too long for its place, with how much is missing. Pure. */

/** Cut between two characters as people see them, never inside one. */
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

/** Made when it is first needed: that takes 14 ms, at every start. */
let graphemes: Intl.Segmenter | undefined
