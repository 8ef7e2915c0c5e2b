/**
 * The file name of a conversation (CV6). The first conversation to ask for a plain name gets it. Others that would collide with
 * it, also on case-insensitive file systems, get a digest of their key appended. Pure: the store records who has which plain
 * name.
 */
const maxStemBytes = 150
const digestDigits = 32
const keptApart = new RegExp(`~[0-9a-f]{${digestDigits}}$`)

/** Characters that Windows forbids, and a leading dot that would hide the file. */
export const plainName = (key: string): string => key.replaceAll(/[:<>"|?*]/g, '_').replace(/^\./, '_')

/**
 * Normalizes what file systems may treat as equal: case, composed letters, zero-width marks. Undefined where the plain name looks
 * like one with a digest: such a key never gets it.
 */
export function claimOf(key: string): string | undefined {
  const name = plainName(key)
  return keptApart.test(name.toLowerCase()) ? undefined : folded(name)
}

/** `digest` is a SHA-256 of the key in hexadecimal digits. */
export const nameApart = (key: string, digest: string): string => `${stem(plainName(key))}~${digest.slice(0, digestDigits)}`

const folded = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')

/** Leaves room for the digest, the ending and a temporary suffix within 255 bytes. */
function stem(name: string): string {
  const encoder = new TextEncoder()
  let bytes = 0
  let kept = ''
  for (const character of name) {
    bytes += encoder.encode(character).length
    if (bytes > maxStemBytes) return kept
    kept += character
  }
  return kept
}
