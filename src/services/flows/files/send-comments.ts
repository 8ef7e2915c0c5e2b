/**
 * Sends all of a person's drafts as one prompt (RV3): the message, its turn and its
 * comments are one commit.
 */
import { Refusal } from '../../../domain/errors.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { maxSentChars, maxSentComments } from '../../../domain/review/comment.ts'
import { conversationStream } from '../../../domain/stream-name.ts'
import { identityIn, rolePlaceOf } from '../../../store/conversations/conversation-identity.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import { selectUnreadMessage } from '../../../store/conversations/unread.ts'
import { selectAssignment } from '../../../store/projects/projects.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import { currentConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { noSuchAgent } from '../../refusals.ts'
import { commentsOf, moveComment } from '../../review/comment-record.ts'
import { reviewPrompt, type SentThread } from '../../review/review-prompt.ts'
import { postForAgents } from '../messages/post-for-agents.ts'
import { sendPrompt } from '../turns/send-prompt.ts'

interface Sending {
  readonly key: string
  readonly by: string
}

export const sendComments = defineUseCase('send-comments', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Sending) => [streamOfKey(key)],
  run: async (tx, { key, by }, context): Promise<{ turnId: string; sent: number }> => {
    const row = await currentConversation(tx, key, context.now)
    const threads: SentThread[] = (await commentsOf(tx, key))
      .map((comment) => ({
        comment,
        texts: [comment, ...comment.answers].filter(
          ({ state, author_id }) => state === 'draft' && author_id === by,
        ),
      }))
      .filter(({ texts }) => texts.length > 0)
    const drafts = threads.flatMap(({ texts }) => texts)
    if (drafts.length === 0) throw new Refusal('nothing_to_send')
    const content = reviewPrompt(threads)
    if (drafts.length > maxSentComments || content.length > maxSentChars)
      throw new Refusal(
        'wrong_state',
        refusalText('tooManyComments', { count: drafts.length, most: maxSentComments }),
        { count: drafts.length, most: maxSentComments },
      )
    const { turnId, seq } = await promptAgent(tx, row, { content, by }, context)
    const { now } = context
    for (const draft of drafts) await moveComment(tx, draft, 'send', { by, now, sent_seq: seq })
    // What is said in a thread that was over opens it again.
    for (const { comment } of threads)
      if (comment.state === 'resolved') await moveComment(tx, comment, 'reopen', { by, now })
    tx.append(conversationStream(key), {
      type: 'comments-sent',
      data: { turnId, seq, numbers: threads.map(({ comment }) => comment.number), by },
    })
    return { turnId, sent: drafts.length }
  },
})

interface Prompted {
  readonly turnId: string
  readonly seq: number
}

/** Says something to the agent of a conversation; the turn that answers it begins or is queued. */
export async function promptAgent(
  tx: Tx,
  row: ConversationRow,
  { content, by }: { readonly content: string; readonly by: string },
  context: Context,
): Promise<Prompted> {
  const { key, project_id, agent_id } = row
  const role = rolePlaceOf(identityIn(row))
  if (role) {
    const words = [{ type: 'text' as const, text: content }]
    const { messageId } = await sendPrompt.run(tx, { ...role, content: words, by }, context)
    const seq = (await tx.row('turns', { id: messageId }))?.through_seq ?? 0
    return { turnId: messageId, seq }
  }
  if (project_id === null || agent_id === null)
    throw new Refusal('wrong_state', refusalText('nobodyToTell'))
  if (!(await tx.first(selectAssignment, { project_id, agent_id }))) throw noSuchAgent(agent_id)
  const message = { senderId: by, receiverId: agent_id, role: 'user', content } as const
  const { seq } = await postForAgents(tx, row, message, context, { readers: [agent_id] })
  const unread = await tx.first(selectUnreadMessage, { conversation_key: key, seq })
  return { turnId: unread?.turn_id ?? '', seq }
}
