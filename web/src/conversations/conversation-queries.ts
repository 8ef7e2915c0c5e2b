/**
 * Conversations on all channels as the page reads them: asked for, and asked again now and then,
 * because no stream tells of all.
 */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  Conversation,
  Flags,
  ListedConversation,
} from '../../../src/protocol/conversations/conversation.ts'
import type { SearchAnswer, SearchHit } from '../../../src/protocol/conversations/search.ts'
import type { Page } from '../../../src/protocol/page.ts'
import { client, invalidate } from '../live/queries.ts'

/** The query string of the next page; of the first there is none. */
const from = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })

/** A search may look through much and find little: so often it is asked to go on by itself. */
const mostAsked = 20

/** Reads as many pages of a list as have been asked for. */
async function upTo<Item, Answer extends Page<Item>>(
  most: number,
  ask: (cursor: string | undefined) => Promise<Answer>,
): Promise<Answer> {
  let answer = await ask(undefined)
  for (
    let asked = 1;
    answer.nextCursor !== null && answer.items.length < most && asked < mostAsked;
    asked++
  ) {
    const further = await ask(answer.nextCursor)
    answer = { ...further, items: [...answer.items, ...further.items] }
  }
  return answer
}

export const listPageSize = 50
export const searchPageSize = 30

/** The newest `most`. */
export const conversationsOn = (channel: string | undefined, most: number) =>
  queryOptions<Page<ListedConversation>>({
    queryKey: ['conversations', channel ?? '', most],
    queryFn: ({ signal }) =>
      upTo(most, (cursor) =>
        client.get('/api/conversations', {
          query: {
            limit: listPageSize,
            ...(channel !== undefined && { channel }),
            ...from(cursor),
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })

export interface SearchInput {
  readonly q: string
  readonly channel?: string | undefined
}

/** Results are not cached: new messages may come at any time. */
export const searchFor = ({ q, channel }: SearchInput, most: number) =>
  queryOptions<SearchAnswer>({
    queryKey: ['search', q, channel ?? '', most],
    queryFn: ({ signal }) =>
      upTo<SearchHit, SearchAnswer>(most, (cursor) =>
        client.get('/api/search', {
          query: {
            q,
            limit: searchPageSize,
            ...(channel !== undefined && { channel }),
            ...from(cursor),
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 60_000,
  })

export const conversation = (key: string) =>
  queryOptions<Conversation>({
    queryKey: ['conversation', key],
    queryFn: () => client.get('/api/conversations/{key}', { params: { key } }),
  })

export async function saveFlags(key: string, flags: Flags): Promise<void> {
  await client.put('/api/conversations/{key}/flags', { params: { key }, body: flags })
  await invalidate(['conversation', key])
}
