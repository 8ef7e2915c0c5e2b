/** The workspace of a conversation (CX9), as it is chosen and shown. */
import * as z from 'zod'

/** `checkout`: the project's own folder. */
export const WorkspaceChoice = z.enum(['worktree', 'checkout'])
export type WorkspaceChoice = z.output<typeof WorkspaceChoice>

export const ConversationWorkspace = z.object({
  kind: z
    .enum(['worktree', 'checkout', 'plain'])
    .describe(
      'worktree: one of its own; checkout: the project’s own folder; plain: a folder without git',
    ),
  folder: z.string().nullable().describe('On the machine of its agent; null while it is not made'),
  branch: z.string().nullable(),
  worktreeId: z.string().optional().describe('Of the worktree, once it is made'),
})
export type ConversationWorkspace = z.output<typeof ConversationWorkspace>
