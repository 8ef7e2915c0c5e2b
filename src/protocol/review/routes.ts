/** Reviewing what a conversation has changed (RV): views of two trees, comments, viewed marks. */
import * as z from 'zod'
import { route } from '../route.ts'
import { Id } from '../text.ts'
import { ObjectId } from '../worktrees/file-state.ts'
import { CommentChange, CommentDraft, ReviewComment } from './comment.ts'
import { FilePath } from './review-requests.ts'

const one = '/api/conversations/{key}'

const ReviewedFile = z.object({
  path: z.string(),
  oldPath: z.string().nullable(),
  change: z.enum(['added', 'modified', 'deleted', 'renamed']),
  added: z.int().nullable(),
  removed: z.int().nullable(),
  oldBlob: z.string().nullable(),
  newBlob: z.string().nullable(),
})

export const reviewRoutes = {
  getReview: route({
    method: 'GET',
    path: `${one}/review`,
    summary:
      'Compare two trees of a conversation’s files, to 2 MiB of text: `all` its changes, what ' +
      'is not `committed`, what changed `since` you last reviewed, or what `turnId` changed',
    query: z.object({
      view: z.enum(['all', 'uncommitted', 'since']).default('all'),
      turnId: Id.optional(),
      path: FilePath.optional(),
    }),
    answer: z.object({
      from: z.string(),
      to: z.string(),
      files: z.array(ReviewedFile),
      fileCount: z.int(),
      text: z.string(),
      cut: z.boolean(),
    }),
  }),
  setReviewed: route({
    method: 'PUT',
    path: `${one}/review/seen`,
    summary: 'Record the tree that you have reviewed; what changes later is shown by `since`',
    body: z.strictObject({ to: ObjectId }),
  }),
  listComments: route({
    method: 'GET',
    path: `${one}/comments`,
    summary:
      'List the comments on a conversation’s changes, where they stand now, with the answers; ' +
      'of drafts your own',
    answer: z.object({
      items: z.array(ReviewComment),
      checked: z.boolean().describe('false: its machine is away; the last places that are known'),
    }),
  }),
  addComment: route({
    method: 'POST',
    path: `${one}/comments`,
    summary: 'Write a draft of a comment on lines of the changes, or of an answer to one',
    body: CommentDraft,
    status: 201,
    answer: ReviewComment,
  }),
  changeComment: route({
    method: 'PATCH',
    path: `${one}/comments/{commentId}`,
    summary:
      'Change a comment’s text, or resolve or reopen it; what its agent has been told already ' +
      'is told again, by a draft',
    body: CommentChange,
    answer: ReviewComment,
  }),
  deleteComment: route({
    method: 'DELETE',
    path: `${one}/comments/{commentId}`,
    summary: 'Delete a draft',
  }),
  sendComments: route({
    method: 'POST',
    path: `${one}/comments/send`,
    summary: 'Send all your drafts as one prompt, with the code they are about',
    status: 201,
    answer: z.object({ turnId: z.string(), sent: z.int() }),
  }),
  listViewed: route({
    method: 'GET',
    path: `${one}/viewed`,
    summary: 'List the files that you have marked as viewed and that have not changed since',
    answer: z.object({ items: z.array(z.object({ file: z.string() })) }),
  }),
  setViewed: route({
    method: 'PUT',
    path: `${one}/viewed`,
    summary: 'Mark a changed file as viewed, or take the mark off; it falls when the file changes',
    body: z.strictObject({ file: FilePath, viewed: z.boolean() }),
  }),
}
