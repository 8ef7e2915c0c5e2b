/** How long a text is, counted in characters as both databases count them, so that what was added can be taken away again. Pure. */
export function lengthOf(text: string): number {
  if (!/[\uD800-\uDFFF]/.test(text)) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}
