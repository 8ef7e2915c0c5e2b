/**
 * Valid names of artifacts (CK5), which become file names on any file system of a mirror (SE5).
 * Pure.
 */

import type { NoticeText } from '../notices.ts'
import { refusalText } from '../refusal-texts.ts'

/** One byte below the smallest limit, with room for a temporary suffix. */
const maxBytes = 200

/** Device names, with any extension. */
const devices = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const refusedCharacters = /[\u0000-\u001f\u007f<>:"/\\|?*]/

export function nameProblem(name: string): NoticeText | undefined {
  if (name === '') return refusalText('nameEmpty')
  if (!name.isWellFormed()) return refusalText('nameNoText')
  if (new TextEncoder().encode(name).length > maxBytes)
    return refusalText('nameTooLong', { most: maxBytes })
  if (name.startsWith('.')) return refusalText('nameDot')
  const [character] = refusedCharacters.exec(name) ?? []
  if (character !== undefined) return refusalText('nameSign', { sign: JSON.stringify(character) })
  if (/[. ]$/.test(name) || name.startsWith(' ')) return refusalText('nameEdge')
  if (devices.test(name)) return refusalText('nameDevice', { name })
  return undefined
}

/** Normalizes names that some file systems treat as equal. */
export const foldedName = (name: string): string => name.normalize('NFC').toLowerCase()
