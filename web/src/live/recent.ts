/**
 * The newest conversations of all projects, for the sidebar: asked for, and asked again when
 * something that is followed says that one changed, and now and then, because no stream tells of
 * all.
 */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ListedConversation } from '../../../src/protocol/conversations/conversation.ts'
import { client, invalidate } from './queries.ts'

const mostListed = 200
const askAgainMs = 10_000
const mostAtWork = 50
/** What an agent does changes by the second. */
const watchMs = 2000
/** Many events at once are one question. */
const gatherMs = 300

export const recent = queryOptions<readonly ListedConversation[]>({
  queryKey: ['recent-conversations'],
  queryFn: async ({ signal }) =>
    (await client.get('/api/conversations', { query: { limit: mostListed }, signal })).items,
  refetchInterval: askAgainMs,
  placeholderData: (before) => before,
})

/** The sessions that agents work in, with what they do at this moment. */
export const atWork = queryOptions<readonly ListedConversation[]>({
  queryKey: ['sessions-at-work'],
  queryFn: async ({ signal }) =>
    (await client.get('/api/conversations', { query: { live: true, limit: mostAtWork }, signal }))
      .items,
  refetchInterval: watchMs,
  placeholderData: (before) => before,
})

let gathering = false

export function refreshRecent(): void {
  if (gathering) return
  gathering = true
  setTimeout(() => {
    gathering = false
    void invalidate(recent.queryKey)
    void invalidate(atWork.queryKey)
  }, gatherMs)
}

/** What is on the screen counts as read (UI1), kept on the server for the person. */
export function useSeen(keys: readonly string[]): void {
  const known = useQuery({ ...recent, enabled: false }).data ?? []
  const unread = known.filter(({ key, unread }) => unread && keys.includes(key))
  const marks = unread.map(({ key, lastMessage }) => `${lastMessage?.seq ?? 0} ${key}`).join('\n')
  useEffect(() => {
    if (marks === '' || document.hidden) return
    const sent = marks.split('\n').map((mark) => {
      const [seq = '0', key = ''] = mark.split(/ (.*)/s)
      return client.put('/api/conversations/{key}/seen', {
        params: { key },
        body: { seq: Number(seq) },
      })
    })
    void Promise.allSettled(sent).then(refreshRecent)
  }, [marks])
}
