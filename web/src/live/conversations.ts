/** Conversations on all channels as the page reads them: asked for, and asked again now and then, because no stream tells of all. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Conversation, Flags, ListedConversation } from '../../../src/protocol/conversation.ts'
import type { Page } from '../../../src/protocol/page.ts'
import type { SearchAnswer } from '../../../src/protocol/search.ts'
import { client, hasChanged } from './queries.ts'

const listedAtOnce = 50
const foundAtOnce = 30
/** While the list is on the screen. */
const askAgainMs = 15_000

/** The query string of the next page; of the first there is none. */
const from = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })

const next = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor ?? undefined,
}

export const conversationsOn = (channel: string | undefined) =>
  infiniteQueryOptions({
    ...next,
    queryKey: ['conversations', channel ?? ''],
    queryFn: ({ signal, pageParam }): Promise<Page<ListedConversation>> =>
      client.get('/api/conversations', {
        query: { limit: listedAtOnce, ...(channel !== undefined && { channel }), ...from(pageParam) },
        signal,
      }),
    refetchInterval: askAgainMs,
  })

export interface Wanted {
  readonly q: string
  readonly channel?: string | undefined
}

/** What was found is not kept: something new may be said at any time. */
export const searchFor = ({ q, channel }: Wanted) =>
  infiniteQueryOptions({
    ...next,
    queryKey: ['search', q, channel ?? ''],
    queryFn: ({ signal, pageParam }): Promise<SearchAnswer> =>
      client.get('/api/search', {
        query: { q, limit: foundAtOnce, ...(channel !== undefined && { channel }), ...from(pageParam) },
        signal,
      }),
    staleTime: 0,
    gcTime: 60_000,
  })

export const conversation = (key: string) =>
  queryOptions<Conversation>({
    queryKey: ['conversation', key],
    queryFn: () => client.get('/api/conversations/{key}', { params: { key } }),
    refetchInterval: askAgainMs,
  })

export async function saveFlags(key: string, flags: Flags): Promise<void> {
  await client.put('/api/conversations/{key}/flags', { params: { key }, body: flags })
  await hasChanged(['conversation', key])
}
