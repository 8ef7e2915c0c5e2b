/** What goes with a token when it is revoked: what was made with it, and what that made (SE3). For who asks before doing it. */
import type { Token } from './people.ts'

export function madeBelow(tokenId: string, tokens: readonly Token[]): Token['made'] {
  const made = tokens.find(({ id }) => id === tokenId)?.made ?? []
  return made.flatMap((each) => [each, ...madeBelow(each.id, tokens)])
}
