/**
 * Where somebody left off in a session: what is newer when they come back has a line above it that
 * stays where it is as long as they stay.
 */
import { useEffect, useRef, useState } from 'react'
import type { Conversation } from '../../../../src/protocol/conversations/conversation.ts'
import type { ThreadState } from '../../../../src/protocol/threads/thread-state.ts'
import type { ChatEntry } from './chat-entries.ts'

/** What this page has shown since it was loaded: the server is told a moment later. */
const shown = new Map<string, number>()
const mostKept = 500
/** Back sooner than this, or drawn anew, it is the same visit, and its line stays. */
const sameVisitMs = 1000
let visit: { key: string; before: number; leftAt: number } | undefined

/** As it was when they came: it is raised at once by their being here. */
function beginVisit(key: string, seen: number): number {
  if (visit?.key !== key || Date.now() - visit.leftAt > sameVisitMs)
    visit = { key, before: Math.max(seen, shown.get(key) ?? 0), leftAt: Number.POSITIVE_INFINITY }
  return visit.before
}

/** The number of the last message that was seen before; null: nothing is new, or all is. */
export function useLastVisit(
  about: Conversation | undefined,
  thread: ThreadState | undefined,
): number | null {
  const key = about?.key
  const newest = thread?.messages.at(-1)?.seq
  const seen = useRef<number>(undefined)
  const [mark, setMark] = useState<number | null>()
  if (key !== undefined) seen.current ??= beginVisit(key, about?.seen ?? 0)
  const before = seen.current
  useEffect(
    () => () => {
      if (visit && visit.key === key) visit.leftAt = Date.now()
    },
    [key],
  )
  useEffect(() => {
    if (mark !== undefined || before === undefined || newest === undefined) return
    setMark(before > 0 && before < newest ? before : null)
  }, [mark, before, newest])
  useEffect(() => {
    if (key === undefined || newest === undefined || document.hidden) return
    shown.delete(key)
    shown.set(key, newest)
    const oldest = shown.keys().next().value
    if (shown.size > mostKept && oldest !== undefined) shown.delete(oldest)
  }, [key, newest])
  return mark ?? null
}

const seqOf = (entry: ChatEntry): number | undefined => entry.message?.seq

/** The first that is new, and by somebody else; -1: none, or the last visit is further back. */
export function firstNewIn(
  entries: readonly ChatEntry[],
  mark: number | null,
  personId: string | undefined,
): number {
  if (mark === null) return -1
  const isNew = (entry: ChatEntry): boolean =>
    (seqOf(entry) ?? 0) > mark && entry.message?.senderId !== personId
  const first = entries.findIndex(isNew)
  return entries.slice(0, Math.max(first, 0)).some((entry) => seqOf(entry) !== undefined)
    ? first
    : -1
}
