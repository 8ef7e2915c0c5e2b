/**
 * The name of a conversation's file (CV6). Every conversation asks for the plain name of its key, as picoclaw has it; the first to
 * ask has it, and one that would share a file with it, also where a file system knows no upper case, is kept apart by a digest of
 * its key. Pure: who has which plain name is in the store.
 */
const maxStemBytes = 150
const digestDigits = 32
const keptApart = new RegExp(`~[0-9a-f]{${digestDigits}}$`)

/** What Windows takes in no name, and a dot that would hide the file. */
export const plainName = (key: string): string => key.replaceAll(/[:<>"|?*]/g, '_').replace(/^\./, '_')

/**
 * What two names have in common that some file system takes for one: case, composed and decomposed letters, marks without width.
 * Undefined where the plain name looks like one that is kept apart: such a key never has it.
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

/** With room for the digest, the ending and what a temporary file adds: no file system takes more than 255 bytes. */
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
