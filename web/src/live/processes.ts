/**
 * Processes, agent sessions and coordinators as the page knows them. The copies that `home` gets of
 * processes' events have no body: they say that there is something to look at. A project's own
 * stream brings each process whole.
 */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { readLiveAgentSessions, readLiveProcesses } from '../../../src/client/running.ts'
import type { AgentSession } from '../../../src/protocol/agent-sessions/agent-session.ts'
import type { Page } from '../../../src/protocol/page.ts'
import type { Coordinator } from '../../../src/protocol/processes/coordinator.ts'
import type { Process, ProcessWithOutput } from '../../../src/protocol/processes/process.ts'
import { client, invalidate, invalidateIfFetching, queryClient } from './queries.ts'

/** More than anybody looks through. */
const mostListed = 200
const mostOfPair = 20
/** Many events at once are one look. */
const gatherMs = 150

const processesKey = ['processes'] as const
const newestFirst = (a: Process, b: Process): number =>
  a.orderedAt === b.orderedAt
    ? a.launchId < b.launchId
      ? 1
      : -1
    : a.orderedAt < b.orderedAt
      ? 1
      : -1

export const livingProcesses = queryOptions<Process[]>({
  queryKey: [...processesKey, 'living'],
  queryFn: ({ signal }) => readLiveProcesses(client, signal),
})

/** The newest process ever; none on a first visit. */
export const newestProcess = queryOptions<readonly Process[]>({
  queryKey: [...processesKey, 'newest'],
  queryFn: async ({ signal }) =>
    (await client.get('/api/processes', { query: { limit: 1 }, signal })).items,
  // An old answer must not show for a moment on a later visit.
  gcTime: 0,
})

export const endedProcesses = infiniteQueryOptions({
  queryKey: [...processesKey, 'ended'],
  queryFn: ({ pageParam, signal }): Promise<Page<Process>> => {
    const query = {
      state: 'ended' as const,
      limit: 20,
      ...(pageParam !== null && { cursor: pageParam }),
    }
    return client.get('/api/processes', { query, signal })
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
})

/** A process with its output. Output has no events: it is polled while it is shown. */
export const processWithOutput = (launchId: string) =>
  queryOptions<ProcessWithOutput>({
    queryKey: [...processesKey, 'one', launchId],
    queryFn: ({ signal }) =>
      client.get('/api/processes/{launchId}', { params: { launchId }, signal }),
  })

/** The newest of an agent in a project, living or not. */
export const processesOf = (projectId: string, agentId: string) =>
  queryOptions<Process[]>({
    queryKey: ['processes-of', projectId, agentId],
    queryFn: async ({ signal }) =>
      (
        await client.get('/api/processes', {
          query: { projectId, agentId, limit: mostOfPair },
          signal,
        })
      ).items,
  })

export const agentSessionsOf = (projectId: string, agentId: string) =>
  queryOptions<AgentSession[]>({
    queryKey: ['agent-sessions-of', projectId, agentId],
    queryFn: async ({ signal }) =>
      (
        await client.get('/api/agent-sessions', {
          query: { projectId, agentId, limit: mostOfPair },
          signal,
        })
      ).items,
  })

const agentSessionsKey = ['agent-sessions'] as const

/** Those that live, over all projects. */
export const liveAgentSessions = queryOptions<AgentSession[]>({
  queryKey: [...agentSessionsKey, 'live'],
  queryFn: ({ signal }) => readLiveAgentSessions(client, signal),
})

export const coordinators = queryOptions<Coordinator[]>({
  queryKey: ['coordinators'],
  queryFn: async ({ signal }) =>
    (await client.get('/api/coordinators', { query: { limit: mostListed }, signal })).items,
})

/** Puts what was told into a list that is known; one that is being asked for is asked for anew. */
function take<Item>(
  queryKey: readonly unknown[],
  change: (known: readonly Item[]) => Item[],
): void {
  queryClient.setQueryData<Item[]>(queryKey, (known) => known && change(known))
  invalidateIfFetching(queryKey)
}

/** A process as a project's stream or an answer told it. */
export function takeProcess(changed: Process): void {
  take<Process>(processesOf(changed.projectId, changed.agentId).queryKey, (known) =>
    [...known.filter(({ launchId }) => launchId !== changed.launchId), changed]
      .sort(newestFirst)
      .slice(0, mostOfPair),
  )
  refreshProcesses()
}

export function takeAgentSession(changed: AgentSession): void {
  take<AgentSession>(agentSessionsOf(changed.projectId, changed.agentId).queryKey, (known) =>
    [...known.filter(({ id }) => id !== changed.id), changed]
      .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      .slice(0, mostOfPair),
  )
  refreshProcesses()
}

let looking = false

export function refreshProcesses(): void {
  if (looking) return
  looking = true
  setTimeout(() => {
    looking = false
    void invalidate(processesKey)
    void invalidate(agentSessionsKey)
    void invalidate(coordinators.queryKey)
  }, gatherMs)
}
