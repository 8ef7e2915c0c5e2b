/**
 * What no name may contain, because whoever reads the name would not see it, or would see another one: control characters, what turns text
 * around, what takes no room, and halves of characters. What joins letters and emoji stays. Pure.
 */
const unseen = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u

export const hasUnseenCharacters = (name: string): boolean => unseen.test(name)

/** A word: at least one letter or digit of some language. */
export const isWord = (name: string): boolean => /[\p{L}\p{N}]/u.test(name)

/** The folder of a repository, in whatever way a disk takes it for the same: what is in it is git's to write. */
export const isGitFolder = (name: string): boolean => /^(?:\.git|git~\d+)[ .]*$/i.test(name.replaceAll(/\p{Cf}/gu, ''))
