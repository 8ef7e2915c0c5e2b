/**
 * Characters that no name may contain, because they are invisible or change how the name looks: control characters, text
 * direction marks, zero-width characters and lone surrogates. Joiners of letters and emoji are allowed. Pure.
 */
const unseen = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u

export const hasUnseenCharacters = (name: string): boolean => unseen.test(name)

/** At least one letter or digit of any language. */
export const isWord = (name: string): boolean => /[\p{L}\p{N}]/u.test(name)

/** Git's folder, in any spelling that a file system treats as the same. Only git may write to it. */
export const isGitFolder = (name: string): boolean => /^(?:\.git|git~\d+)[ .]*$/i.test(name.replaceAll(/\p{Cf}/gu, ''))
