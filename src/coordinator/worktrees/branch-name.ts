/** Branch names for roles. Roles are text in any language, and branch names are restricted. Pure. */
import { createHash } from 'node:crypto'

const maxWord = 48

/**
 * WT1: the short user session id keeps branches apart in a list. A role that had to be changed gets a hash suffix, so that two
 * roles never share a branch.
 */
export const branchOf = (userSessionShort: string, role: string): string => `holdfast/${userSessionShort}/${wordOf(role)}`

export const isOurBranch = (branch: string): boolean => /^holdfast\/[0-9a-z]+\/[^/]+$/.test(branch)

function wordOf(role: string): string {
  const word = [...role.normalize('NFC')]
    .slice(0, maxWord)
    .join('')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .replace(/\.lock$/i, '-lock')
  if (word === role && word === word.toLowerCase()) return word
  const suffix = createHash('sha256').update(role).digest('hex').slice(0, 6)
  return word === '' ? suffix : `${word}-${suffix}`
}
