/**
 * The newest conversations of all projects, for the sidebar, and those at work: asked for, and
 * asked again when the server tells that one changed (SL5).
 */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ListedConversation } from '../../../src/protocol/conversations/conversation.ts'
import { client, invalidate } from './queries.ts'
import { useStreams } from './streams.ts'

export const mostListed = 200
const mostAtWork = 50
/** Many events at once are one question. */
const gatherMs = 500

export const recent = queryOptions<readonly ListedConversation[]>({
  queryKey: ['recent-conversations'],
  queryFn: async ({ signal }) =>
    (await client.get('/api/conversations', { query: { limit: mostListed }, signal })).items,
  placeholderData: (before) => before,
})

/** The sessions that agents work in, with what they do at this moment. */
export const atWork = queryOptions<readonly ListedConversation[]>({
  queryKey: ['sessions-at-work'],
  queryFn: async ({ signal }) =>
    (await client.get('/api/conversations', { query: { live: true, limit: mostAtWork }, signal }))
      .items,
  placeholderData: (before) => before,
})

let gathering = false
/** Changed since the lists were asked for last. */
const changed = new Set<string>()

/** Lists that are on the screen are asked for again, and the session that is named. */
export function refreshRecent(key?: string): void {
  if (key !== undefined) changed.add(key)
  if (gathering) return
  gathering = true
  setTimeout(() => {
    gathering = false
    for (const each of changed) void invalidate(['conversation', each])
    changed.clear()
    for (const list of ['sessions-of', 'conversations']) void invalidate([list])
    void invalidate(recent.queryKey)
    void invalidate(atWork.queryKey)
  }, gatherMs)
}

let lookingAtWork = false

/** Agents do one thing after another: what each does at this moment is asked for again. */
export function refreshAtWork(): void {
  if (lookingAtWork) return
  lookingAtWork = true
  setTimeout(() => {
    lookingAtWork = false
    void invalidate(atWork.queryKey)
  }, gatherMs)
}

/** Sessions whose steps are followed while their list is on the screen. */
const mostFollowed = 20

/** Follows what agents do in these sessions; those of consoles tell it in their own streams. */
export function useSteps(listed: readonly ListedConversation[]): void {
  const working = listed.filter(({ userSessionId }) => userSessionId === undefined)
  useStreams(working.slice(0, mostFollowed).map(({ key }) => `turns:${key}`))
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
    void Promise.allSettled(sent).then(() => refreshRecent())
  }, [marks])
}
