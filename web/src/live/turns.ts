/**
 * The turns of a chat or task as the page knows them: those that run, and those that ended while it
 * looked, out of the stream `turns:KEY` (CH14); earlier ones are read page by page. Messages stand
 * beside them, so their prompts are left out.
 */
import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import type { Page } from '../../../src/protocol/page.ts'
import type { TurnsState } from '../../../src/protocol/snapshot.ts'
import { noOffers, type Offers } from '../../../src/protocol/threads/offers.ts'
import type { ThreadState } from '../../../src/protocol/threads/thread-state.ts'
import { filesOf, listedTurn, type ThreadTurn } from '../../../src/protocol/threads/thread-turn.ts'
import type { ConfigChange } from '../../../src/protocol/turns/config-change.ts'
import type { ListedTurn } from '../../../src/protocol/turns/conversation-turn.ts'
import { afterEvent, afterTurnsSnapshot, withTurns } from './chat.ts'
import { client, invalidate, keptShortlyMs, queryClient } from './queries.ts'
import { useStream } from './streams.ts'
import { changeThread, putThread, useThread } from './threads.ts'

export const turnsPrefix = 'turns:'
const pageSize = 20

export function takeTurnsSnapshot(key: string, state: TurnsState): void {
  putThread(key, (thread) => afterTurnsSnapshot(thread, state))
  void invalidate(history(key).queryKey)
}

export function takeTurnEvent(key: string, event: HoldfastEvent): void {
  changeThread(key, (thread) => afterEvent(thread, event))
  if (!('data' in event)) return
  if (event.type === 'agent:response') void readUsage(key, event.data.messageId)
  // A choice took effect, or was refused; with a new context the agent may offer something else.
  if (event.type === 'agent:configured' || event.type === 'agent:response')
    void invalidate(chatOptions(key).queryKey)
}

const chatOptions = (key: string) =>
  queryOptions({
    queryKey: ['chat-options', key],
    queryFn: ({ signal }) =>
      client.get('/api/conversations/{key}/options', { params: { key }, signal, retries: 0 }),
    retry: false,
  })

/** What the agent of a chat offers to be set, and how it is set (AG14). */
export function useOffers(key: string, hasBegun: boolean): Offers {
  const { data } = useQuery({ ...chatOptions(key), enabled: hasBegun })
  const offered = useThread(key)?.offers
  return useMemo(() => {
    const { modeId: mode = null, modes = [], options = [], images = false } = data ?? {}
    return { ...noOffers, ...offered, mode, modes, options, images }
  }, [data, offered])
}

/** Sets a mode or an option; the answer has all as they are then. */
export async function configureChat(key: string, change: ConfigChange): Promise<void> {
  const now = await client.post('/api/conversations/{key}/options', {
    params: { key },
    body: change,
  })
  queryClient.setQueryData(chatOptions(key).queryKey, now)
}

/** What a turn used is counted when it has ended. */
async function readUsage(key: string, turnId: string): Promise<void> {
  try {
    const { turn } = await client.get('/api/conversations/{key}/turns/{turnId}', {
      params: { key, turnId },
    })
    const { usage, primer } = turn
    const files = filesOf(turn)
    const withDetails = (each: ThreadTurn): ThreadTurn =>
      each.id === turnId ? { ...each, usage, primer, files } : each
    changeThread(key, (thread) => withTurns(thread, (turns) => turns.map(withDetails)))
  } catch {
    // The turn is read with the next page of turns.
  }
}

const withoutEnded = (thread: ThreadState): ThreadState =>
  withTurns(thread, (turns) => turns.filter(({ state }) => state === 'running'))

/** Turns that ended are read again. */
export function forgetTurns(key: string): void {
  changeThread(key, withoutEnded)
  void invalidate(history(key).queryKey)
}

/** Forgets the turns of a chat that was left: the newest page is read again by who comes back. */
export function forgetEarlierTurns(key: string): void {
  changeThread(key, withoutEnded)
  queryClient.removeQueries({ queryKey: history(key).queryKey })
}

/** What the newest turns of a role changed in its files: the relay tells what they said. */
export const turnFiles = (key: string, ended: number) =>
  queryOptions({
    queryKey: ['turn-files', key, ended],
    queryFn: async ({ signal }) => {
      const { items } = await client.get('/api/conversations/{key}/turns', {
        params: { key },
        query: { limit: 100 },
        signal,
      })
      return new Map(items.map((turn) => [turn.id, filesOf(turn)]))
    },
    enabled: ended > 0,
    gcTime: keptShortlyMs,
    placeholderData: (before) => before,
    retry: false,
  })

const history = (key: string) =>
  infiniteQueryOptions({
    queryKey: ['turn-history', key],
    queryFn: ({ pageParam, signal }): Promise<Page<ListedTurn>> =>
      client.get('/api/conversations/{key}/turns', {
        params: { key },
        query: { items: true, limit: pageSize, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
        retries: 0,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })

/** The turns since a message, oldest first; undefined until it is known which run. */
export function useTurns(
  key: string,
  oldestAt: string | undefined,
): readonly ThreadTurn[] | undefined {
  useStream(turnsPrefix + key)
  const live = useThread(key)?.turns
  // A chat that has not begun has no turns, and cannot be asked for them.
  const { data, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    ...history(key),
    enabled: oldestAt !== undefined,
  })
  const read = data?.pages.flatMap(({ items }) => items) ?? []
  const reached = read.at(-1)?.createdAt
  const isShort =
    hasNextPage && oldestAt !== undefined && reached !== undefined && reached > oldestAt
  useEffect(() => {
    if (isShort && !isFetching) void fetchNextPage()
  }, [isShort, isFetching, fetchNextPage])
  if (!live) return undefined
  const known = new Set(live.map(({ id }) => id))
  const earlier = read.filter(
    ({ id, state, about, rewound }) =>
      !known.has(id) &&
      !rewound &&
      state !== 'queued' &&
      state !== 'running' &&
      about !== 'summary',
  )
  return [...earlier.map((turn) => listedTurn(turn)).reverse(), ...live]
}
