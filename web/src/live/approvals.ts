/**
 * Approvals as the page knows them: the inbox over all projects (AP5) and the history of each
 * project. A decision made anywhere changes both; what was decided while it was looked at stays,
 * with who decided what, until the person leaves.
 */
import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  useQuery,
} from '@tanstack/react-query'
import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import type { Page } from '../../../src/protocol/page.ts'
import { countWaiting } from '../approvals/waiting.ts'
import { client, invalidate, invalidateIfFetching, queryClient, useMay } from './queries.ts'

export interface Inbox {
  /** Oldest first. */
  readonly items: readonly Approval[]
  /** Whether more approvals wait than are listed. */
  readonly more: boolean
}

const mostWaiting = 200
/** Looked up one by one after they left the inbox. */
const mostLookedUp = 20
/** Many at once are one look. */
const gatherMs = 100

export const readApproval = (approval: Approval): Promise<Approval> =>
  client.get('/api/projects/{projectId}/approvals/{approvalId}', {
    params: { projectId: approval.projectId, approvalId: String(approval.id) },
  })

export const inbox = queryOptions<Inbox>({
  queryKey: ['inbox'],
  queryFn: async ({ signal }) => {
    const page = await client.get('/api/approvals', { query: { limit: mostWaiting }, signal })
    const waiting = new Set(page.items.map(({ id }) => id))
    const known = (queryClient.getQueryData<Inbox>(['inbox'])?.items ?? []).filter(
      ({ id }) => !waiting.has(id),
    )
    const gone = known.filter(({ status }) => status === 'pending').slice(0, mostLookedUp)
    const decided = await Promise.all(
      gone.map((approval) => readApproval(approval).catch(() => undefined)),
    )
    const kept = [
      ...known.filter(({ status }) => status !== 'pending'),
      ...decided.filter((each) => each !== undefined),
    ]
    return { items: [...page.items, ...kept].sort(oldestFirst), more: page.nextCursor !== null }
  },
})

const oldestFirst = (a: Approval, b: Approval): number =>
  a.submittedAt === b.submittedAt ? a.id - b.id : a.submittedAt < b.submittedAt ? -1 : 1

/** “3”, “200+”, or undefined when nothing waits or nothing is known yet. */
function useWaitingCount(): string | undefined {
  const known = useQuery({ ...inbox, enabled: false }).data
  const count = countWaiting(known?.items ?? [])
  if (count === 0) return undefined
  return known?.more ? `${count}+` : String(count)
}

/** Removes decided approvals once they have been seen. */
export const forgetDecided = (): void =>
  void queryClient.setQueryData<Inbox>(
    inbox.queryKey,
    (known) =>
      known && { ...known, items: known.items.filter(({ status }) => status === 'pending') },
  )

/** The same, where it is said to wait for the person: nothing does for one who may not decide. */
export function useWaitingForMe(): string | undefined {
  const count = useWaitingCount()
  return useMay('approve') ? count : undefined
}

let looking = false

/**
 * The copies that `home` gets of approvals' events have no body: they say that there is something
 * to look at.
 */
export function refreshInbox(): void {
  if (looking) return
  looking = true
  setTimeout(() => {
    looking = false
    void invalidate(inbox.queryKey)
  }, gatherMs)
}

export const approvalsOf = (projectId: string) =>
  infiniteQueryOptions({
    queryKey: ['approvals', projectId],
    queryFn: ({ pageParam, signal }): Promise<Page<Approval>> =>
      client.get('/api/projects/{projectId}/approvals', {
        params: { projectId },
        query: pageParam === null ? {} : { cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })

/**
 * The later of two versions: each submission is decided once, and each revision lengthens the
 * history.
 */
function later(known: Approval, newer: Approval): Approval {
  const step = ({ revisionHistory, status }: Approval) =>
    revisionHistory.length * 2 + (status === 'pending' ? 0 : 1)
  return step(newer) >= step(known) ? newer : known
}

const replaced = (items: readonly Approval[], newer: Approval): Approval[] =>
  items.map((known) => (known.id === newer.id ? later(known, newer) : known))

/** Puts what the server said of an approval wherever it is shown. */
export function takeApproval(approval: Approval): void {
  queryClient.setQueryData<Inbox>(
    inbox.queryKey,
    (known) => known && { ...known, items: replaced(known.items, approval) },
  )
  const { queryKey } = approvalsOf(approval.projectId)
  queryClient.setQueryData<InfiniteData<Page<Approval>, string | null>>(queryKey, (known) => {
    if (!known) return known
    const listed = known.pages.some((page) => page.items.some(({ id }) => id === approval.id))
    const pages = known.pages.map((page, index) => {
      const items = replaced(page.items, approval)
      return { ...page, items: !listed && index === 0 ? [approval, ...items] : items }
    })
    return { ...known, pages }
  })
  invalidateIfFetching(queryKey)
}
