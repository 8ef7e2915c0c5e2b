/** Parses and formats the workplace of a conversation (CX9). */
import { visible } from '../../platform/visible.ts'
import { type Workplace, WorkplaceChoice } from '../../protocol/conversations/workplace.ts'
import { usage } from '../failure.ts'

const kinds: Record<Workplace['kind'], string> = {
  worktree: 'a worktree of its own',
  checkout: 'the project’s folder',
  plain: 'a folder without git',
}

export function workplaceWords({ kind, folder, branch }: Workplace): string {
  const where = folder === null ? '' : `, ${visible(folder)}`
  return `${kinds[kind]}${where}${branch === null ? '' : ` on ${visible(branch)}`}`
}

export const waitsWords = (key: string): string =>
  `until another conversation’s work in this folder ends; at once: holdfast conversations begin ${visible(key)}`

export function workplaceTyped(typed: string | undefined): WorkplaceChoice | undefined {
  if (typed === undefined) return undefined
  const known = WorkplaceChoice.safeParse(typed)
  if (known.success) return known.data
  throw usage(`${visible(typed)} is no workplace.`, `Choose one of ${WorkplaceChoice.options.join(', ')}.`)
}
