/** REST handlers for reviews: views, comments, viewed marks. */
import type { reviewRoutes } from '../../protocol/review/routes.ts'
import { sendComments } from '../../services/flows/files/send-comments.ts'
import {
  addComment,
  changeComment,
  deleteComment,
  listComments,
} from '../../services/review/change-comment.ts'
import { findViewed, markViewed, setReviewed } from '../../services/review/viewed-files.ts'
import { allowed, by, type HandlersOf, run } from './handler.ts'

const looks = { scope: 'read', on: 'conversation' } as const

export const reviewHandlers: HandlersOf<typeof reviewRoutes> = {
  getReview: allowed(looks, async ({ params, query, who, deps }) => {
    const { files, ...changes } = await deps.reviews.changes(who, params.key, query)
    return { ...changes, files: [...files] }
  }),
  setReviewed: run(setReviewed, ({ params, body, who }) => ({ ...params, ...body, by: who.id })),
  listComments: by(listComments, ({ params, who, deps }) => deps.reviews.comments(who, params.key)),
  addComment: by(addComment, ({ params, body, who, deps, receipt }) =>
    deps.reviews.add(who, params.key, body, receipt),
  ),
  changeComment: run(changeComment, ({ params: { key, commentId: id }, body, who }) => ({
    ...body,
    key,
    id,
    by: who.id,
  })),
  deleteComment: run(deleteComment, ({ params: { key, commentId: id }, who }) => ({
    key,
    id,
    by: who.id,
  })),
  sendComments: by(sendComments, ({ params, who, deps, receipt }) =>
    deps.reviews.send(who, params.key, receipt),
  ),
  listViewed: by(findViewed, async ({ params, who, deps }) => ({
    items: await deps.reviews.viewed(who, params.key),
  })),
  setViewed: by(markViewed, ({ params, body, who, deps }) =>
    deps.reviews.setViewed(who, params.key, body),
  ),
}
