/**
 * Estimates the tokens of a text: four Latin letters make one, other characters one each. An overestimate for most models. Pure.
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

/** The beginning of a text within a token limit, with an ellipsis if it was cut. */
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
