/** The workspace of a conversation (CX9), as it is chosen and shown. */
import * as z from 'zod'
import { storable } from '../text.ts'

const GivenFolder = z.strictObject({
  folder: z
    .string()
    .min(1)
    .max(4096)
    .overwrite(storable)
    .describe('An absolute path on the machine of the agent'),
})

/** `checkout`: the project's own folder. */
export const NamedWorkspace = z.enum(['worktree', 'checkout'])

export type NamedWorkspace = z.output<typeof NamedWorkspace>

export const WorkspaceChoice = z.union([NamedWorkspace, GivenFolder])
export type WorkspaceChoice = z.output<typeof WorkspaceChoice>

export const ConversationWorkspace = z.object({
  kind: z
    .enum(['worktree', 'checkout', 'plain', 'folder'])
    .describe(
      'worktree: one of its own; checkout: the project’s own folder; plain: a folder without ' +
        'git; folder: one that was given',
    ),
  folder: z.string().nullable().describe('On the machine of its agent; null while it is not made'),
  directory: z.string().nullable().describe('Where the agent is started: `folder`, or below it'),
  branch: z.string().nullable(),
  worktreeId: z.string().optional().describe('Of the worktree, once it is made'),
})
export type ConversationWorkspace = z.output<typeof ConversationWorkspace>
