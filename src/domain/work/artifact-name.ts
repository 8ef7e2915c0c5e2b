/**
 * What an artifact may be called (CK5): its name becomes the name of a file, on whatever disk the mirror lies (SE5). Pure: what is
 * wrong with a name is returned in words.
 */
import { refusalText } from '../because.ts'
import type { NoticeText } from '../notices.ts'

/** A byte less than the shortest limit there is, and room for the name of the temporary file. */
const maxBytes = 200

/** Devices of one system or another, with any ending. */
const devices = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const refusedCharacters = /[\u0000-\u001f\u007f<>:"/\\|?*]/

export function nameProblem(name: string): NoticeText | undefined {
  if (name === '') return refusalText('nameEmpty')
  if (!name.isWellFormed()) return refusalText('nameNoText')
  if (new TextEncoder().encode(name).length > maxBytes) return refusalText('nameTooLong', { most: maxBytes })
  if (name.startsWith('.')) return refusalText('nameDot')
  const [character] = refusedCharacters.exec(name) ?? []
  if (character !== undefined) return refusalText('nameSign', { sign: JSON.stringify(character) })
  if (/[. ]$/.test(name) || name.startsWith(' ')) return refusalText('nameEdge')
  if (devices.test(name)) return refusalText('nameDevice', { name })
  return undefined
}

/** Names that are one and the same on some disk. */
export const foldedName = (name: string): string => name.normalize('NFC').toLowerCase()
