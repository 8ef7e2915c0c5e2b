/**
 * Begins a session: a thread with an agent of a project, in a place that is chosen with it, and
 * with processes of its own. With a message its first turn waits in the same commit. Every door
 * begins them here.
 */
import type * as z from 'zod'
import type { Scope } from '../../../domain/access/scopes.ts'
import { projectStream } from '../../../domain/stream-name.ts'
import type { NewConversation } from '../../../protocol/conversations/chat-routes.ts'
import type { Conversation } from '../../../protocol/conversations/conversation.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import { selectByClientId } from '../../../store/conversations/messages.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import { addThread, drawThreadKey } from '../../conversations/add-conversation.ts'
import { existingConversation } from '../../conversations/conversation-record.ts'
import { viewFor } from '../../conversations/conversation-view.ts'
import { placeFor } from '../../conversations/conversation-workplace.ts'
import { checkAssigned } from '../../projects/project-record.ts'
import { clientIdReused } from '../../refusals.ts'
import { tellSession } from '../../tell-session.ts'
import { postForAgents } from '../messages/post-for-agents.ts'
import { requireTakesPictures, runOnce } from '../messages/post-message.ts'

export type NewThread = z.output<typeof NewConversation> & {
  readonly projectId: string
  readonly by: string
  /** Left out: the server itself begins it. */
  readonly scopes?: readonly Scope[] | undefined
}

export const beginThread = defineUseCase('begin-thread', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: NewThread) => [projectStream(projectId)],
  run: async (tx, input, context): Promise<Conversation> => {
    const { key } = (await begunEarlier(tx, input)) ?? (await beginOnce(tx, input, context))
    return viewFor(tx, await existingConversation(tx, key), input.by)
  },
})

/** A message of this client id is kept longer than the receipt. */
async function begunEarlier(
  tx: Tx,
  { by, clientId, content, agentId, projectId }: NewThread,
): Promise<{ key: string } | undefined> {
  if (clientId === undefined || content === undefined) return undefined
  const row = await tx.first(selectByClientId, { senderId: by, clientId })
  if (!row) return undefined
  const conversation = await tx.row('conversations', { key: row.conversation_key })
  const isSame =
    conversation?.kind === 'session' &&
    conversation.project_id === projectId &&
    row.receiver_id === agentId &&
    row.content === content
  if (!isSame) throw clientIdReused(clientId)
  return { key: conversation.key }
}

/** Without a message nothing but a receipt tells that it was begun. */
function beginOnce(tx: Tx, input: NewThread, context: Context): Promise<{ key: string }> {
  const { projectId, agentId, content, title, workplace } = input
  const call = {
    callerId: input.by,
    operation: 'begin-thread',
    clientId: input.clientId,
    content: JSON.stringify([projectId, agentId, content, title, workplace]),
  }
  return runOnce(tx, call, context.now, async () => {
    await checkAssigned(tx, { projectId, agentId })
    const named = title === undefined ? {} : { title, titled_by: input.by }
    const isDraft = content === undefined && title === undefined
    const begun = { key: drawThreadKey(context), projectId, agentId, ...named, isDraft }
    const row = await addThread(
      tx,
      { ...begun, ...(await placeFor(tx, { ...input, inThread: true }, input)) },
      context.now,
    )
    if (content !== undefined) await addFirstMessage(tx, row, { ...input, content }, context)
    else await tellSession(tx, row.key)
    return { key: row.key }
  })
}

async function addFirstMessage(
  tx: Tx,
  row: ConversationRow,
  { by, agentId, content, media, clientId }: NewThread & { readonly content: string },
  context: Context,
): Promise<void> {
  await requireTakesPictures(tx, row, media)
  const message = {
    content,
    media,
    clientId,
    senderId: by,
    receiverId: agentId,
    role: 'user',
  } as const
  await postForAgents(tx, row, message, context, { readers: [agentId] })
}
