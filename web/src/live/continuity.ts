/**
 * Interrupted work over all projects, the chart of which was resumed from which, what was learned,
 * and one work session whole. They are asked for, and asked again when an event says that they
 * changed; many events at once are one question.
 */
import { queryOptions } from '@tanstack/react-query'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import type { Approach } from '../../../src/protocol/work/approach.ts'
import type { Lineage } from '../../../src/protocol/work/lineage.ts'
import type { WholeWorkSession, WorkSession } from '../../../src/protocol/work/work-session.ts'
import { client, invalidate } from './queries.ts'

/** More than anybody looks through on Now. */
const mostInterrupted = 50
/** More than anybody reads in three columns. */
const mostApproaches = 1000
const gatherMs = 150

export const interrupted = queryOptions<readonly WorkSession[]>({
  queryKey: ['interrupted'],
  queryFn: async ({ signal }) =>
    (await client.get('/api/sessions/interrupted', { query: { limit: mostInterrupted }, signal }))
      .items,
})

export const lineageOf = (projectId: string) =>
  queryOptions<Lineage>({
    queryKey: ['lineage', projectId],
    queryFn: ({ signal }) =>
      client.get('/api/projects/{projectId}/lineage', { params: { projectId }, signal }),
  })

export const approachesOf = (projectId: string) =>
  queryOptions<readonly Approach[]>({
    queryKey: ['approaches', projectId],
    queryFn: async ({ signal }) => {
      const all: Approach[] = []
      const request = { params: { projectId }, query: { limit: 200 }, signal }
      for await (const approach of client.pages('/api/projects/{projectId}/approaches', request)) {
        all.push(approach)
        if (all.length >= mostApproaches) break
      }
      return all
    },
  })

export const workSessionOf = (projectId: string, workSessionId: string) =>
  queryOptions<WholeWorkSession>({
    queryKey: ['work-session', projectId, workSessionId],
    queryFn: ({ signal }) =>
      client.get('/api/projects/{projectId}/sessions/{workSessionId}', {
        params: { projectId, workSessionId },
        signal,
      }),
  })

const gathered = new Map<string, readonly unknown[]>()

function lookAgain(queryKey: readonly unknown[]): void {
  const key = JSON.stringify(queryKey)
  if (gathered.has(key)) return
  gathered.set(key, queryKey)
  setTimeout(() => {
    gathered.delete(key)
    void invalidate(queryKey)
  }, gatherMs)
}

/**
 * The copies that `home` gets of work sessions' events have no body: they say that there is
 * something to look at.
 */
export function refreshInterrupted({ type }: HoldfastEvent): void {
  if (type.startsWith('work-session-') || type === 'project-deleted')
    lookAgain(interrupted.queryKey)
}

const ofWork = /^(?:work-session|task|approval|checkpoint|approach|artifact)-/
const onPicture = /^(?:work-session|approval|checkpoint)-/

/** An event of a project's own stream. */
export function refreshContinuity(projectId: string, { type }: HoldfastEvent): void {
  if (onPicture.test(type)) lookAgain(lineageOf(projectId).queryKey)
  if (type.startsWith('approach-')) lookAgain(approachesOf(projectId).queryKey)
  if (ofWork.test(type)) lookAgain(['work-session', projectId])
  if (type.startsWith('worktree-'))
    for (const name of ['worktree', 'worktrees']) lookAgain([name, projectId])
}

/** After a snapshot all cached answers are refreshed. */
export function forgetContinuity(projectId: string): void {
  for (const name of ['lineage', 'approaches', 'work-session', 'worktree', 'worktrees'])
    void invalidate([name, projectId])
}

export const canResume = ({ state, setAside, resumedBy }: WorkSession): boolean =>
  state === 'interrupted' && setAside === null && resumedBy === null
