/** Creates the conversation of a fork (FS9), when its worktree has been made. */

import { inReadingOrder } from '../../../domain/conversations/messages.ts'
import { conversationStream, projectStream } from '../../../domain/stream-name.ts'
import type { ForkAnswer } from '../../../protocol/worktrees/file-state.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import { begunMessage, selectLastMessage } from '../../../store/conversations/messages.ts'
import type { Context, Tx } from '../../../store/store.ts'
import { selectContextOf } from '../../../store/turns/contexts.ts'
import { type FileOperationRow, selectWritten } from '../../../store/turns/turn-files.ts'
import { selectWorktreeAt } from '../../../store/worktrees/worktrees.ts'
import { addThread } from '../../conversations/add-conversation.ts'
import {
  changeConversation,
  openConversation,
  writeMessage,
} from '../../conversations/conversation-record.ts'
import { shortOf } from '../../conversations/conversation-workplace.ts'
import { getOrCreateContext } from '../../turns/context-record.ts'
import { changeContext } from '../../turns/move-context.ts'
import { rewoundSince } from '../../turns/turn-files.ts'
import { addWorktree } from '../../worktrees/worktree-record.ts'

/** The newest messages that a fork begins with. */
const maxForkedMessages = 1000

export interface ForkPlan {
  readonly forkKey: string
  readonly agentId: string
  readonly cut: number
  readonly keptAfter: number
  /** Left out in a fork that an earlier build was asked for. */
  readonly isThread?: boolean
}

/**
 * AC12: lets the agent fork its own session, which works at its end only. One that cannot is
 * primed.
 */
async function forkContext(
  tx: Tx,
  from: ConversationRow,
  { forkKey, agentId, cut }: ForkPlan,
  context: Context,
): Promise<void> {
  const { key, project_id: projectId, generation } = from
  if (projectId === null || ((await tx.first(selectLastMessage, { key }))?.seq ?? 0) > cut) return
  const original = await tx.first(selectContextOf, { agentId, projectId, key, originKey: '' })
  if (!original?.acp_session_id || original.generation !== generation) return
  const row = await getOrCreateContext(
    tx,
    { agentId, projectId, key: forkKey, originKey: '' },
    context,
  )
  const told_through = (await tx.first(selectLastMessage, { key: forkKey }))?.seq ?? 0
  await changeContext(tx, row, { fork_of: original.acp_session_id, told_through })
}

/** Creates the conversation of a fork with what was said until then, and registers its worktree. */
export async function createFork(
  tx: Tx,
  operation: FileOperationRow,
  plan: ForkPlan,
  made: ForkAnswer,
  context: Context,
): Promise<null> {
  const { conversation_key: key, turn_id: turnId, project_id, coordinator_id } = operation
  const { now, random } = context
  const { forkKey, agentId: agent_id, cut, keptAfter } = plan
  const from = await tx.row('conversations', { key })
  const forked_from = JSON.stringify({ key, turnId })
  const summary = from && from.summary_through <= cut ? from.summary : ''
  const summarised = { summary, summary_by: summary === '' ? null : (from?.summary_by ?? null) }
  const about = { account_id: from?.account_id ?? null, ...summarised }
  const titled = { title: from?.title ?? null, titled_by: from?.titled_by ?? null }
  const given = { ...about, ...titled, workplace: 'worktree', forked_from } as const
  let row: ConversationRow = plan.isThread
    ? await addThread(tx, { key: forkKey, projectId: project_id, agentId: agent_id, ...given }, now)
    : { ...(await openConversation(tx, forkKey, now, { project_id, agent_id })).row, ...given }
  const turn = await tx.row('turn_files', { turn_id: turnId })
  const since = await rewoundSince(tx, key, turn)
  const until = {
    key,
    after: keptAfter,
    cut,
    begunAt: turn?.created_at ?? '',
    limit: maxForkedMessages,
  }
  const written = (await tx.all(selectWritten, until)).filter(
    ({ rewound_by: by }) => by === null || since.has(by),
  )
  for (const message of inReadingOrder(written.map(begunMessage).reverse())) {
    const { senderId, receiverId, role, content, toolCalls, toolCallId, media, senderName } =
      message
    const copy = { senderId, receiverId, role, content, toolCalls, toolCallId, media, senderName }
    row = (await writeMessage(tx, row, copy, context)).counted
  }
  await changeConversation(tx, row, {}, now)
  if (from) await forkContext(tx, from, plan, context)
  if (!(await tx.first(selectWorktreeAt, { coordinatorId: coordinator_id, top: made.top })))
    await addWorktree(tx, {
      id: random.uuid(),
      project_id,
      user_session_id: '',
      account_id: from?.account_id ?? '',
      role: shortOf(row),
      conversation_key: forkKey,
      agent_id,
      coordinator_id,
      kind: 'worktree',
      folder: made.folder,
      top: made.top,
      branch: made.branch,
      base_branch: made.baseBranch,
      created_at: now,
      last_used_at: now,
    })
  const data = {
    operationId: operation.id,
    turnId,
    forkKey,
    agentId: agent_id,
    by: operation.asked_by,
  }
  tx.append(conversationStream(key), { type: 'conversation-forked', data }, [
    projectStream(project_id),
  ])
  return null
}
