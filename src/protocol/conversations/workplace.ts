/** Where a conversation works (CX9), as it is chosen and as it is shown. */
import * as z from 'zod'

/** `checkout`: the project's own folder. */
export const WorkplaceChoice = z.enum(['worktree', 'checkout'])
export type WorkplaceChoice = z.output<typeof WorkplaceChoice>

export const Workplace = z.object({
  kind: z
    .enum(['worktree', 'checkout', 'plain'])
    .describe('worktree: one of its own; checkout: the project’s own folder; plain: a folder without git'),
  folder: z.string().nullable().describe('On the machine of its agent; null while it is not made'),
  branch: z.string().nullable(),
})
export type Workplace = z.output<typeof Workplace>
