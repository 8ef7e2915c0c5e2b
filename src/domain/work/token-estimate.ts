/**
 * How many tokens a text will cost a language model, estimated: four Latin letters to one, every other character one. On the high
 * side for most models, so that what fits here fits there. Pure.
 */
const latinPerToken = 4
const lastLatin = 0x2ff

export function estimateTokens(text: string): number {
  let latin = 0
  let others = 0
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) <= lastLatin) latin++
    else others++
  }
  return Math.ceil(latin / latinPerToken) + others
}

/** The beginning of a text that costs at most so much; an ellipsis tells that there was more. */
export function cutToTokens(text: string, tokens: number): string {
  if (tokens <= 1) return estimateTokens(text) <= tokens ? text : ''
  if (estimateTokens(text) <= tokens) return text
  let spent = 1
  let at = 0
  for (; at < text.length; at++) {
    spent += text.charCodeAt(at) <= lastLatin ? 1 / latinPerToken : 1
    if (spent > tokens) break
  }
  return `${text
    .slice(0, at)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`
}
