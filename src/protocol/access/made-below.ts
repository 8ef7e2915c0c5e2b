/**
 * Everything that is removed with a revoked token: what was made with it, directly or indirectly
 * (SE3). Shown before the revocation.
 */
import type { Token } from './people.ts'

export function madeBelow(tokenId: string, tokens: readonly Token[]): Token['made'] {
  const made = tokens.find(({ id }) => id === tokenId)?.made ?? []
  return made.flatMap((each) => [each, ...madeBelow(each.id, tokens)])
}
