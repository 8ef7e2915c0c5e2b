/** The names of what is made for a role: its branch and its folder. Roles are words in any language; branches and folders are not that free. Pure. */
import { createHash } from 'node:crypto'

const maxWord = 48

/** WT1. The short name is enough of a user session's id to tell them apart in a list of branches. Two roles never share a branch: one that had to be changed carries a mark of what it was. */
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
