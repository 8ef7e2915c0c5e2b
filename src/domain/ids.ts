/**
 * The forms of identifiers (ID1). Pure: the caller supplies time and randomness. Uniqueness is
 * ensured by the store's keys.
 */
import { libraryId, ownerId, systemId } from './access/caller.ts'
import type { Instant } from './instant.ts'

/** Returns that many random lower-case letters and digits. */
export type RandomText = (length: number) => string

const digitsOf = (at: Instant): string => at.replaceAll(/\D/g, '')

/** `proj_20240115_a1b2c3` */
export const projectId = (at: Instant, random: RandomText): string =>
  `proj_${digitsOf(at).slice(0, 8)}_${random(6)}`

/** `sess_20240115143000_x1y2z3`, a work session. */
export const workSessionId = (at: Instant, random: RandomText): string =>
  `sess_${digitsOf(at).slice(0, 14)}_${random(6)}`

/** `msg_0190…`, made from a time-ordered id, so that the newest are neighbours in the index. */
export const messageId = (timeOrderedUuid: string): string =>
  `msg_${timeOrderedUuid.replaceAll('-', '')}`

/** At least one letter or digit of any language. */
export const isWord = (name: string): boolean => /[\p{L}\p{N}]/u.test(name)

/**
 * Git's folder, in any spelling that a file system treats as the same. Only git may write to it.
 */
export const isGitFolder = (name: string): boolean =>
  /^(?:\.git|git~\d+)[ .]*$/i.test(name.replaceAll(/\p{Cf}/gu, ''))

const maxIdChars = 64
/** For names without Latin letters or digits. */
const defaultId = 'agent'

/** Ids that stand for other actors in records, and cannot be chosen. */
const reserved: ReadonlySet<string> = new Set([ownerId, systemId, libraryId])

export const isReserved = (id: string): boolean => reserved.has(id)

/** `Claude Code` → `claude-code`; the second of that name `claude-code-2`. */
export function agentIdFrom(name: string, nth = 1): string {
  const ending = nth === 1 ? '' : `-${nth}`
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+/g, '')
    .slice(0, maxIdChars - ending.length)
    .replaceAll(/-+$/g, '')
  return `${plain || defaultId}${ending}`
}
