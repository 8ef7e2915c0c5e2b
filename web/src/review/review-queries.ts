/** What the page knows of a review: comments where they stand, and the files that were viewed. */
import { queryOptions } from '@tanstack/react-query'
import type { ReviewComment } from '../../../src/protocol/review/comment.ts'
import type { ReviewedChanges } from '../../../src/protocol/review/review-requests.ts'
import { client, keptShortlyMs } from '../live/queries.ts'

/** `stamp` is another one whenever the files may have changed. */
export const commentsOn = (key: string, stamp: string) =>
  queryOptions<ReviewComment[]>({
    queryKey: ['comments', key, stamp],
    queryFn: async ({ signal }) =>
      (await client.get('/api/conversations/{key}/comments', { params: { key }, signal })).items,
    staleTime: 0,
    gcTime: keptShortlyMs,
  })

export const viewedFilesOf = (key: string, stamp: string) =>
  queryOptions<string[]>({
    queryKey: ['viewed', key, stamp],
    queryFn: async ({ signal }) =>
      (await client.get('/api/conversations/{key}/viewed', { params: { key }, signal })).items.map(
        ({ file }) => file,
      ),
    staleTime: 0,
    gcTime: keptShortlyMs,
  })

/** Which two trees are compared (RV1). */
export type ReviewedView = 'all' | 'uncommitted' | 'since' | { readonly turnId: string }

export const reviewOf = (key: string, view: ReviewedView, stamp: string, path?: string) =>
  queryOptions<ReviewedChanges>({
    queryKey: ['review', key, view, stamp, path],
    queryFn: ({ signal }) =>
      client.get('/api/conversations/{key}/review', {
        params: { key },
        query: {
          ...(typeof view === 'string' ? { view } : view),
          ...(path !== undefined && { path }),
        },
        signal,
      }),
    staleTime: 0,
    gcTime: keptShortlyMs,
  })
