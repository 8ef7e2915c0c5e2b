/** File names as git prints them: bytes without NUL, used as such. Pure. */
const asText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const nul = 0

/**
 * File names as git prints them: bytes without NUL, used as such. Displayed as text, with invalid
 * bytes escaped. Pure.
 */
export function displayName(name: Buffer): string {
  try {
    return asText.decode(name)
  } catch {
    return name
      .toString('latin1')
      .replaceAll(/[\u0080-\u00ff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)
  }
}

export const nulEnded = (words: readonly Buffer[]): Buffer =>
  Buffer.concat(words.flatMap((word) => [word, Buffer.of(0)]))

/** Splits NUL-terminated words. An unterminated last word is dropped. */
export function splitNul(output: Buffer): Buffer[] {
  const words: Buffer[] = []
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(nul, at)
    if (end < 0) break
    words.push(output.subarray(at, end))
    at = end + 1
  }
  return words
}

/** Joins a folder and a file name as bytes. */
export const pathOf = (top: string, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${top}/`), name])

/**
 * A pathspec for exactly this file. Arguments are text, so invalid bytes become single-character
 * wildcards.
 */
export function pathspecOf(name: Buffer): string {
  const shown = name.toString()
  if (Buffer.from(shown).equals(name)) return `:(top,literal)${shown}`
  return `:(top,glob)${name
    .toString('latin1')
    .replaceAll(/[\\*?[]/g, '\\$&')
    .replaceAll(/[\u0080-\u00ff]/g, '?')}`
}
