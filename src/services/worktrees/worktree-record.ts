/** The register of worktrees, and how new ones are set up (WT3, WT5). */

import type { Instant } from '../../domain/instant.ts'
import { detailFrom } from '../../domain/notices.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { mask, maskDetail } from '../../platform/log/mask.ts'
import type { LinkFact } from '../../protocol/processes/link.ts'
import type { SetUp } from '../../protocol/worktrees/worktree.ts'
import type { RoleAgentRow } from '../../store/consoles/user-sessions.ts'
import { noticeColumn } from '../../store/fields.ts'
import { type NewRow, newRow } from '../../store/rows.ts'
import { type Context, defineQuery, defineUseCase, type Tx } from '../../store/store.ts'
import type { ContextRow } from '../../store/turns/contexts.ts'
import {
  selectWorktreeAt,
  setUpOf,
  shareOfConversation,
  type WorktreeRow,
  worktreeOf,
} from '../../store/worktrees/worktrees.ts'
import { shortOf } from '../conversations/conversation-workplace.ts'
import { invalidField, noSuchProject } from '../refusals.ts'

type Made = Extract<LinkFact, { type: 'workspace-made' }>

/**
 * Registers where an agent works (CX9) when its machine reports it (WT2, WT3). One row per folder.
 */
export async function registerWorktree(
  tx: Tx,
  agent: RoleAgentRow,
  launch: Launch,
  made: Made,
  context: Context,
): Promise<void> {
  const userSession = await tx.row('user_sessions', { id: agent.user_session_id })
  if (!userSession) return
  const { user_session_id, role } = agent
  await register(
    tx,
    { user_session_id, account_id: userSession.account_id, role, conversation_key: null },
    launch,
    made,
    context,
  )
}

/**
 * Registers a conversation's worktree. The project's own folder is not registered, because it is
 * never removed.
 */
export async function recordWorkplace(
  tx: Tx,
  { conversation_key, origin_key }: Pick<ContextRow, 'conversation_key' | 'origin_key'>,
  launch: Launch,
  made: Made,
  context: Context,
): Promise<void> {
  const key = origin_key || conversation_key
  if (made.kind === 'worktree') {
    const { account_id, lane = '' } = (await tx.row('conversations', { key })) ?? {}
    const role = shortOf({ key, lane })
    return register(
      tx,
      // A fork of a console is its person's, and so is where it works.
      { user_session_id: '', account_id: account_id ?? '', role, conversation_key: key },
      launch,
      made,
      context,
    )
  }
  // One that was given stays what it is.
  if (((await tx.row('conversations', { key }))?.workplace_folder ?? null) === null)
    await tx.update('conversations', { key, workplace: 'plain' })
}

type WorktreeOwner = Pick<
  WorktreeRow,
  'user_session_id' | 'account_id' | 'role' | 'conversation_key'
>

async function register(
  tx: Tx,
  whose: WorktreeOwner,
  { coordinatorId, agentId, projectId }: Launch,
  made: Made,
  { now, random }: Context,
): Promise<void> {
  const existing = await tx.first(selectWorktreeAt, { coordinatorId, top: made.top })
  const { setUp } = made
  const row = {
    id: existing?.id ?? random.uuid(),
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
    notice: noticeColumn(maskDetail(detailFrom(made.note, made.notice))),
    // A past set-up stays recorded when it is not run again.
    set_up:
      setUp === null
        ? (existing?.set_up ?? null)
        : JSON.stringify({ ...setUp, output: mask(setUp.output) }),
    created_at: existing?.created_at ?? now,
    last_used_at: now,
  }
  if (existing) await tx.update('worktrees', row)
  else await tx.insert('worktrees', row)
  tx.append(projectStream(projectId), {
    type: 'worktree-made',
    data: { worktree: worktreeOf(newRow('worktrees', row)) },
  })
}

/** The row of a worktree whose folder was made for a fork. */
export const addWorktree = (tx: Tx, row: NewRow<'worktrees'>): Promise<void> =>
  tx.insert('worktrees', row)

/** The worktrees of a session that is shared are its project's; its row names nobody then. */
export const shareWorktreesOf = (tx: Tx, key: string): Promise<void> =>
  tx.write(shareOfConversation, { key })

/** Takes a worktree out of the register; its row stays. */
export async function removeWorktree(
  tx: Tx,
  { id: worktreeId, project_id }: WorktreeRow,
  { by, now }: { by: string; now: Instant },
): Promise<void> {
  await tx.update('worktrees', { id: worktreeId, removed_at: now, removed_by: by })
  tx.append(projectStream(project_id), { type: 'worktree-removed', data: { worktreeId, by } })
}

type Input = SetUp & { readonly projectId: string; readonly by: string }

/**
 * Sets the commands that prepare a new worktree (WT5). The event leaves them out: not every reader
 * may see them.
 */
export const changeSetUp = defineUseCase('change-set-up', {
  scope: 'manage',
  on: 'project',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, command, copy, by }): Promise<SetUp> => {
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    if (command !== null && (command[0] ?? '').trim() === '')
      throw invalidField('command', refusalText('firstWord'))
    await tx.put('set_ups', {
      project_id: projectId,
      command: JSON.stringify(command),
      copy: JSON.stringify(copy),
    })
    tx.append(projectStream(projectId), { type: 'set-up-changed', data: { projectId, by } })
    return { command, copy }
  },
})

/** Returns the set-up of a project's worktrees (WT5). Empty unless an owner set one. */
export const getSetUp = defineQuery('get-set-up', {
  scope: 'read',
  on: 'project',
  run: async (reader, { projectId }: { projectId: string }): Promise<SetUp> => {
    if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    return (await setUpOf(reader, projectId)) ?? { command: null, copy: [] }
  },
})
