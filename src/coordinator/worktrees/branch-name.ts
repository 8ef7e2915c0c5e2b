/**
 * Branch names for roles. Roles are text in any language, and branch names are restricted. Pure.
 */
import { hash } from 'node:crypto'

const maxWord = 48

/**
 * WT1: the short id keeps branches apart. A role that had to be changed gets a hash, so that no two
 * share a branch.
 */
export const branchOf = (userSessionShort: string, role: string): string =>
  `holdfast/${userSessionShort}/${wordOf(role)}`

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
  const suffix = hash('sha256', role).slice(0, 6)
  return word === '' ? suffix : `${word}-${suffix}`
}
