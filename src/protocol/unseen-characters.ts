/**
 * Characters that are invisible or change the direction of what stands around them: embeddings,
 * overrides, isolates, direction marks, spaces without width. With one, a command or a file name
 * reads as another (SE13). Joiners of letters and emoji are not among them. Pure.
 */
const unseenRanges =
  '\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb'

const unseen = new RegExp(`[\\p{Cc}\\p{Cs}${unseenRanges}]`, 'u')

/** Whether a name contains one of them, a control character or a lone surrogate. */
export const hasUnseenCharacters = (name: string): boolean => unseen.test(name)

const shownAsNumbers = new RegExp(`[${unseenRanges}]`, 'g')

/** `\u202e` for the character with this number. */
export const numberOf = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Shows each of them as an escape with its number. Line ends, tabs and other control characters
 * stay.
 */
export const withNumbers = (text: string): string => text.replace(shownAsNumbers, numberOf)
