/**
 * Writes comments (RV2, RV3): drafts on lines that a machine has found, their text, and
 * whether they are resolved.
 */

import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { answersIn, maxCommentChars, nameOfComment } from '../../domain/review/comment.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { ReviewComment } from '../../protocol/review/comment.ts'
import { type FoundLine, maxComments, type Side } from '../../protocol/review/review-requests.ts'
import { type CommentRow, selectByNumber } from '../../store/review/comments.ts'
import {
  type Context,
  defineQuery,
  defineUseCase,
  type Reader,
  type Tx,
} from '../../store/store.ts'
import { existingConversation } from '../conversations/conversation-record.ts'
import { type ContextCaller, ownConversation } from '../conversations/own-conversation.ts'
import { newestTurn } from './carry-comments.ts'
import {
  commentNamed,
  commentsOf,
  commentView,
  isSeenBy,
  keepPlace,
  moveComment,
  nextNumber,
  noSuchComment,
} from './comment-record.ts'

interface WhichComment {
  readonly key: string
  readonly id: string
  readonly by: string
}

export interface FoundComment {
  readonly key: string
  readonly by: string
  readonly text: string
  readonly file: string
  readonly side: Side
  readonly line: number
  readonly endLine: number
  readonly turnId?: string | undefined
  readonly found: Extract<FoundLine, { found: true }>
}

/** Lists comments with their answers; of drafts the reader's own. */
export const listComments = defineQuery('list-comments', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key, by }: { key: string; by: string }): Promise<ReviewComment[]> =>
    (await commentsOf(reader, key))
      .filter((row) => isSeenBy(row, by))
      .map((row) => commentView(row, by)),
})

const viewOf = async (reader: Reader, { key, id, by }: WhichComment): Promise<ReviewComment> => {
  const row = (await commentsOf(reader, key)).find((each) => each.id === id)
  if (!row) throw noSuchComment(id)
  return commentView(row, by)
}

export function requireText(text: string): void {
  if (text.trim() === '') throw new Refusal('empty_comment')
}

export const addComment = defineUseCase('add-comment', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: FoundComment) => [conversationStream(key)],
  run: async (tx, input, { now, random }): Promise<ReviewComment> => {
    const { key, by, text, file, side, line, endLine, turnId, found } = input
    await existingConversation(tx, key)
    requireText(text)
    if ((await commentsOf(tx, key)).length >= maxComments)
      throw new Refusal('wrong_state', refusalText('commentsFull', { most: maxComments }))
    const files = turnId === undefined ? undefined : await tx.row('turn_files', { turn_id: turnId })
    const id = random.uuid()
    const row = {
      id,
      conversation_key: key,
      number: await nextNumber(tx, key),
      author_id: by,
      text,
      side,
      file,
      line,
      end_line: endLine,
      blob: found.blob,
      code: JSON.stringify(found.code),
      tree: found.tree,
      path: found.path,
      through_turn: files?.created_at ?? (await newestTurn(tx, key)),
      now_side: side,
      now_file: file,
      now_line: line,
      now_end_line: endLine,
      created_at: now,
      updated_at: now,
    }
    await tx.insert('comments', row)
    for (const place of found.places) await keepPlace(tx, row, place)
    return viewOf(tx, { key, id, by })
  },
})

/** Writes a draft of an answer to a comment that its author sees. */
export const replyToComment = defineUseCase('reply-to-comment', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: WhichComment & { readonly text: string }) => [conversationStream(key)],
  run: async (tx, { text, ...which }, context): Promise<ReviewComment> => {
    requireText(text)
    const named = await commentNamed(tx, which)
    const root = named.in_reply_to ?? named.id
    await insertReply(tx, await commentNamed(tx, { ...which, id: root }), which.by, text, context)
    return viewOf(tx, { ...which, id: root })
  },
})

export async function insertReply(
  tx: Tx,
  root: CommentRow,
  by: string,
  text: string,
  { now, random }: Pick<Context, 'now' | 'random'>,
  state: 'draft' | 'sent' = 'draft',
): Promise<void> {
  await tx.insert('comments', {
    ...root,
    id: random.uuid(),
    in_reply_to: root.id,
    author_id: by,
    text: text.slice(0, maxCommentChars),
    state,
    resolved_by: null,
    sent_seq: null,
    created_at: now,
    updated_at: now,
  })
}

interface ChangedComment extends WhichComment {
  readonly text?: string | undefined
  readonly resolved?: boolean | undefined
}

export const changeComment = defineUseCase('change-comment', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: ChangedComment) => [conversationStream(key)],
  run: async (tx, { text, resolved, ...which }, context): Promise<ReviewComment> => {
    const row = await commentNamed(tx, which)
    const { by } = which
    const { now } = context
    if (text !== undefined) {
      requireText(text)
      if (row.author_id !== by) throw noSuchComment(row.id)
      if (row.state === 'draft') await tx.update('comments', { id: row.id, text, updated_at: now })
      // The agent knows the earlier words.
      else await insertReply(tx, row, by, nowSays(row, text), context)
    }
    if (resolved !== undefined) {
      const isAnswered = await hasAnswer(tx, row)
      await moveComment(tx, row, resolved ? 'resolve' : 'reopen', { by, now, isAnswered })
    }
    return viewOf(tx, { ...which, id: row.in_reply_to ?? row.id })
  },
})

const nowSays = ({ number }: CommentRow, text: string): string =>
  `${nameOfComment(number)} now says: ${text}`

const hasAnswer = async (reader: Reader, { id, author_id }: CommentRow): Promise<boolean> =>
  (await reader.rows('comments', { in_reply_to: id })).some((each) => each.author_id !== author_id)

/** Deletes a draft; its number is not given again. */
export const deleteComment = defineUseCase('delete-comment', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: WhichComment) => [conversationStream(key)],
  run: async (tx, comment, { now }): Promise<void> => {
    const row = await commentNamed(tx, comment)
    const withdrawn = await moveComment(tx, row, 'withdraw', { by: comment.by, now })
    await tx.update('comments', { id: withdrawn.id, text: '' })
    await tx.delete('comment_places', { comment_id: row.id })
  },
})

// What agents do (RV4).

/** Lines such as `c7: done` of what an agent writes answer these comments and resolve none. */
export async function answerCommentsIn(
  tx: Tx,
  { conversationKey: key, senderId: by, content }: Message,
  context: Context,
): Promise<void> {
  for (const { number, text } of answersIn(content)) {
    const row = await tx.first(selectByNumber, { key, number })
    if (row && (row.state === 'sent' || row.state === 'answered'))
      await answerAs(tx, row, { by, text }, context)
  }
}

export interface AgentsComment extends ContextCaller {
  /** `c7` */
  readonly comment: string
  readonly text?: string | undefined
}

async function ownComment(tx: Tx, { comment, ...caller }: AgentsComment): Promise<CommentRow> {
  const { key } = await ownConversation(tx, caller)
  tx.lock(conversationStream(key))
  const [, number] = /^c?(\d{1,6})$/i.exec(comment.trim()) ?? []
  const row = number && (await tx.first(selectByNumber, { key, number: Number(number) }))
  if (!row || row.state === 'withdrawn') throw noSuchComment(comment)
  return commentNamed(tx, { key, id: row.id, by: caller.agentId })
}

/** Records what an agent answers; `resolve`: it says that it has done it. */
export async function answerAs(
  tx: Tx,
  row: CommentRow,
  {
    by,
    text,
    resolve = false,
  }: { readonly by: string; text?: string | undefined; resolve?: boolean },
  context: Context,
): Promise<CommentRow> {
  const { now } = context
  if (text !== undefined) await insertReply(tx, row, by, text, context, 'sent')
  const answered = await moveComment(tx, row, 'answer', { by, now })
  return resolve ? moveComment(tx, answered, 'resolve', { by, now }) : answered
}

interface AgentsAnswer {
  readonly comment: string
  readonly state: CommentRow['state']
}

export const answerComment = defineUseCase('answer-comment', {
  scope: 'agent',
  on: 'caller',
  run: async (
    tx,
    input: AgentsComment & { readonly text: string },
    context,
  ): Promise<AgentsAnswer> => {
    requireText(input.text)
    const row = await ownComment(tx, input)
    const { state, number } = await answerAs(
      tx,
      row,
      { by: input.agentId, text: input.text },
      context,
    )
    return { comment: nameOfComment(number), state }
  },
})

export const resolveComment = defineUseCase('resolve-comment', {
  scope: 'agent',
  on: 'caller',
  run: async (tx, input: AgentsComment, context): Promise<AgentsAnswer> => {
    const row = await ownComment(tx, input)
    const answer = { by: input.agentId, text: input.text, resolve: true }
    const { state, number } = await answerAs(tx, row, answer, context)
    return { comment: nameOfComment(number), state }
  },
})

/** The comments of the conversation that an agent is in, without drafts. */
export const listOwnComments = defineQuery('list-own-comments', {
  scope: 'agent',
  on: 'caller',
  run: async (
    reader,
    { state, ...caller }: ContextCaller & { readonly state?: string | undefined },
  ): Promise<ReviewComment[]> => {
    const { key } = await ownConversation(reader, caller)
    const rows = (await commentsOf(reader, key)).filter((row) => row.state !== 'draft')
    return rows
      .filter((row) => state === undefined || row.state === state)
      .map((row) => commentView(row, caller.agentId))
  },
})
