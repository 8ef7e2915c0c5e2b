/** Where an agent works, in a role or in a conversation (CX9), put into the register the moment its machine says so (WT2, WT3): one row for a place, for as long as it is there. */
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { mask } from '../../platform/mask.ts'
import type { LinkFact } from '../../protocol/processes/link.ts'
import type { RoleAgentRow } from '../../store/consoles/role-agents.ts'
import { selectUserSession } from '../../store/consoles/user-sessions.ts'
import { updateWorkplace } from '../../store/conversations/conversations.ts'
import type { Context, Tx } from '../../store/store.ts'
import type { ContextRow } from '../../store/turns/contexts.ts'
import { insertWorktree, selectPlace, updateWorktree, type WorktreeRow, worktreeOf } from '../../store/worktrees/worktrees.ts'
import { shortOf } from '../conversations/conversation-workplace.ts'

type Made = Extract<LinkFact, { type: 'workspace-made' }>

export async function registerWorktree(tx: Tx, agent: RoleAgentRow, launch: Launch, made: Made, context: Context): Promise<void> {
  const userSession = await tx.first(selectUserSession, { id: agent.user_session_id })
  if (!userSession) return
  const { user_session_id, role } = agent
  await register(tx, { user_session_id, account_id: userSession.account_id, role, conversation_key: null }, launch, made, context)
}

/** Of a conversation; the project's own folder is nobody's to remove, and not in the register. */
export async function keepWorkplace(
  tx: Tx,
  { conversation_key, origin_key }: ContextRow,
  launch: Launch,
  made: Made,
  context: Context,
): Promise<void> {
  const key = origin_key || conversation_key
  if (made.kind === 'worktree')
    return register(tx, { user_session_id: '', account_id: '', role: shortOf(key), conversation_key: key }, launch, made, context)
  await tx.write(updateWorkplace, { key, workplace: 'plain' })
}

type Whose = Pick<WorktreeRow, 'user_session_id' | 'account_id' | 'role' | 'conversation_key'>

async function register(
  tx: Tx,
  whose: Whose,
  { coordinatorId, agentId, projectId }: Launch,
  made: Made,
  { now, random }: Context,
): Promise<void> {
  const known = await tx.first(selectPlace, { coordinatorId, top: made.top })
  const { setUp } = made
  const row: WorktreeRow = {
    id: known?.id ?? random.uuid(),
    project_id: projectId,
    ...whose,
    agent_id: agentId,
    coordinator_id: coordinatorId,
    kind: made.kind,
    folder: made.folder,
    top: made.top,
    branch: made.branch,
    base_branch: made.baseBranch,
    note: made.note,
    // What was done once stays true when it is not done again.
    set_up: setUp === null ? (known?.set_up ?? null) : JSON.stringify({ ...setUp, output: mask(setUp.output) }),
    created_at: known?.created_at ?? now,
    last_used_at: now,
    removed_at: null,
    removed_by: null,
  }
  await tx.write(known ? updateWorktree : insertWorktree, row)
  tx.append(projectStream(projectId), { type: 'worktree-made', data: { worktree: worktreeOf(row) } })
}
