/**
 * Names of files as git gives them: bytes, in which anything may be but NUL and the slash between folders. Whatever is done to a file is done
 * by its bytes; what is shown is text, with the bytes that are none spelled out. Pure.
 */
const asText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const nul = 0

export function displayName(name: Buffer): string {
  try {
    return asText.decode(name)
  } catch {
    return name.toString('latin1').replaceAll(/[\u0080-\u00ff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)
  }
}

/** What is between the NULs, the last of them without its own end left out. */
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

/** Where it is, as the file system takes it. */
export const pathOf = (top: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${top}/`), name])

/** Names exactly this file to git. An argument is text: bytes that are none match any single one. */
export function pathspecOf(name: Buffer): string {
  const shown = name.toString()
  if (Buffer.from(shown).equals(name)) return `:(top,literal)${shown}`
  return `:(top,glob)${name
    .toString('latin1')
    .replaceAll(/[\\*?[]/g, '\\$&')
    .replaceAll(/[\u0080-\u00ff]/g, '?')}`
}
