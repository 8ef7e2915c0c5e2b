/** Parses and formats the workplace of a conversation (CX9). */
import { visible } from '../../platform/visible.ts'
import { type ConversationWorkspace, WorkspaceChoice } from '../../protocol/conversations/conversation-workspace.ts'
import { usage } from '../failure.ts'

const kinds: Record<ConversationWorkspace['kind'], string> = {
  worktree: 'a worktree of its own',
  checkout: 'the project’s folder',
  plain: 'a folder without git',
}

export function workplaceWords({ kind, folder, branch }: ConversationWorkspace): string {
  const where = folder === null ? '' : `, ${visible(folder)}`
  return `${kinds[kind]}${where}${branch === null ? '' : ` on ${visible(branch)}`}`
}

export const waitsWords = (key: string): string =>
  `until another conversation’s work in this folder ends; at once: holdfast conversations begin ${visible(key)}`

export function workplaceTyped(typed: string | undefined): WorkspaceChoice | undefined {
  if (typed === undefined) return undefined
  const known = WorkspaceChoice.safeParse(typed)
  if (known.success) return known.data
  throw usage(`${visible(typed)} is no workplace.`, `Choose one of ${WorkspaceChoice.options.join(', ')}.`)
}
