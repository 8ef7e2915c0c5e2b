/** The id of an agent whose maker chose none: made from its name, so that it can be guessed and typed. Pure. */
import { libraryId, ownerId, systemId } from '../access/who.ts'

const longest = 64
/** For names without a single Latin letter or digit. */
const nameless = 'agent'

/** Ids that stand for somebody else wherever it says who did something: nobody's to choose. */
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
    .slice(0, longest - ending.length)
    .replaceAll(/-+$/g, '')
  return `${plain || nameless}${ending}`
}
