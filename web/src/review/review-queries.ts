/** What the page knows of a review: comments where they stand, and the files that were viewed. */
import { queryOptions } from '@tanstack/react-query'
import type { ReviewComment } from '../../../src/protocol/review/comment.ts'
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
