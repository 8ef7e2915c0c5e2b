/** Comments as rows and as readers see them (RV2, RV3). The state of one is written here alone. */

import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { afterMove, type CommentMove, type CommentState } from '../../domain/review/comment.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { CommentReply, ReviewComment } from '../../protocol/review/comment.ts'
import {
  type LinePlace,
  maxComments,
  type QuotedCode,
} from '../../protocol/review/review-requests.ts'
import { fields } from '../../store/fields.ts'
import { type CommentRow, selectComments, selectLastNumber } from '../../store/review/comments.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** Answers count too. */
const maxRows = 10 * maxComments

/** A comment that a rewind or a withdrawal took back with its prompt is a draft again. */
const stateOf = (
  row: Pick<CommentRow, 'state' | 'sent_seq'>,
  takenBackBy: string | null,
): CommentState =>
  takenBackBy !== null && (row.state === 'sent' || row.state === 'answered') ? 'draft' : row.state

export interface Comment extends CommentRow {
  readonly answers: readonly CommentRow[]
}

/** All comments with their answers, in the states that readers see. */
export async function commentsOf(reader: Reader, key: string): Promise<Comment[]> {
  const rows = await reader.all(selectComments, { key, limit: maxRows })
  const seen = rows.map(({ taken_back_by, ...row }) => ({
    ...row,
    state: stateOf(row, taken_back_by),
  }))
  const answers = Map.groupBy(seen, ({ in_reply_to }) => in_reply_to)
  return (answers.get(null) ?? []).map((row) => ({ ...row, answers: answers.get(row.id) ?? [] }))
}

/** A draft is its author's alone. */
export const isSeenBy = (row: Pick<CommentRow, 'state' | 'author_id'>, viewer: string): boolean =>
  row.state !== 'draft' || row.author_id === viewer

export async function commentNamed(
  reader: Reader,
  { key, id, by }: { readonly key: string; readonly id: string; readonly by: string },
): Promise<CommentRow> {
  const row = await reader.row('comments', { id })
  if (row?.conversation_key !== key || row.state === 'withdrawn') throw noSuchComment(id)
  const message =
    row.sent_seq === null
      ? undefined
      : await reader.row('messages', { conversation_key: key, seq: row.sent_seq })
  const seen = { ...row, state: stateOf(row, message?.rewound_by ?? null) }
  if (!isSeenBy(seen, by)) throw noSuchComment(id)
  return seen
}

export const noSuchComment = (id: string): Refusal =>
  new Refusal('not_found', refusalText('noComment', { id }), { commentId: id })

export const nextNumber = async (reader: Reader, key: string): Promise<number> =>
  ((await reader.first(selectLastNumber, { key }))?.number ?? 0) + 1

/** Moves a comment, and tells who follows the conversation, unless it is a draft. */
export async function moveComment(
  tx: Tx,
  row: CommentRow,
  move: CommentMove,
  {
    by,
    now,
    isAnswered = false,
    ...change
  }: {
    readonly by: string
    readonly now: Instant
    readonly isAnswered?: boolean
    readonly sent_seq?: number
  },
): Promise<CommentRow> {
  const state = afterMove(row.state, move, isAnswered)
  if (state === undefined)
    throw new Refusal('wrong_state', refusalText('commentIs', { state: row.state }), {
      state: row.state,
    })
  const resolved_by = state === 'resolved' ? (row.resolved_by ?? by) : null
  const moved = { ...row, ...change, state, resolved_by, updated_at: now }
  await tx.update('comments', moved)
  if (state !== 'draft' && state !== 'withdrawn') tellChanged(tx, moved, by)
  return moved
}

/** A place that is known stays. */
export async function keepPlace(
  tx: Tx,
  { id: comment_id, conversation_key }: Pick<CommentRow, 'id' | 'conversation_key'>,
  { blob, line, endLine: end_line }: LinePlace,
): Promise<void> {
  if (await tx.row('comment_places', { comment_id, blob })) return
  await tx.insert('comment_places', { comment_id, blob, conversation_key, line, end_line })
}

const tellChanged = (tx: Tx, row: CommentRow, by: string): void =>
  void tx.append(conversationStream(row.conversation_key), {
    type: 'comment-changed',
    data: { commentId: row.in_reply_to ?? row.id, number: row.number, state: row.state, by },
  })

const replyOf = (row: CommentRow): CommentReply => ({
  ...fields(row, 'id', 'number', 'text', 'state', 'created_at'),
  by: row.author_id,
})

const withoutSign = (line: string): string => line.slice(1)

export function commentView(row: Comment, viewer: string): ReviewComment {
  const { above, lines, below }: QuotedCode = JSON.parse(row.code)
  const isOutdated = row.now_side === null
  return {
    ...fields(row, 'id', 'number', 'text', 'state', 'resolved_by', 'created_at'),
    file: isOutdated ? row.file : row.now_file,
    side: row.now_side ?? row.side,
    line: isOutdated ? row.line : row.now_line,
    endLine: isOutdated ? row.end_line : row.now_end_line,
    outdated: isOutdated,
    resolved: row.state === 'resolved',
    quoted: lines.map(withoutSign).join('\n'),
    code: [...above, ...lines, ...below],
    by: row.author_id,
    replies: row.answers.filter((each) => isSeenBy(each, viewer)).map(replyOf),
  }
}
