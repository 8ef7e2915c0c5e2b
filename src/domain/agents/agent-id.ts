/** Derives an agent's id from its name, so that it can be guessed and typed. Pure. */
import { libraryId, ownerId, systemId } from '../access/caller.ts'

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
