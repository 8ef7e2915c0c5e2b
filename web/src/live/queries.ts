/**
 * What the page reads. Projects and agents come as a snapshot and are kept true by the event stream (live.ts); people,
 * tokens and the server's health are asked for, and asked again when an event says that they changed.
 */
import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { createClient, ProblemError } from '../../../src/client/client.ts'
import type { Me, Person, Token } from '../../../src/protocol/access/people.ts'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'
import type { Task } from '../../../src/protocol/work/task.ts'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import type { Home } from './home.ts'

export const client = createClient({ url: location.origin })

export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, retry: false } },
})

export const homeKey = ['home'] as const

/** Lists are read whole up to this many; nobody reads more in one list. */
const maxListed = 2000

async function readAll<Item>(items: AsyncGenerator<Item, void, undefined>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) {
    all.push(item)
    if (all.length >= maxListed) break
  }
  return all
}

const page = { limit: 200 }

export const readAllProjects = (): Promise<Project[]> => readAll(client.pages('/api/projects', { query: page }))
export const readAllAgents = (): Promise<Agent[]> => readAll(client.pages('/api/agents', { query: page }))
export const readAllTasks = (projectId: string): Promise<Task[]> =>
  readAll(client.pages('/api/projects/{projectId}/tasks', { params: { projectId }, query: page }))
export const readAllWorkSessions = (projectId: string): Promise<WorkSession[]> =>
  readAll(client.pages('/api/projects/{projectId}/sessions', { params: { projectId }, query: page }))

export const me = queryOptions<Me>({ queryKey: ['me'], queryFn: () => client.get('/api/me') })
export const people = queryOptions<Person[]>({
  queryKey: ['people'],
  queryFn: ({ signal }) => readAll(client.pages('/api/people', { query: page, signal })),
})
export const tokens = queryOptions<Token[]>({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => readAll(client.pages('/api/tokens', { query: page, signal })),
})

/** Gives up on the question that is under way and asks anew. */
export async function refetch(query: { readonly queryKey: readonly unknown[] }): Promise<void> {
  await queryClient.cancelQueries({ queryKey: query.queryKey })
  await queryClient.refetchQueries({ queryKey: query.queryKey })
}

/**
 * What is known is no longer so. An answer under way was perhaps given before the change, and a first question is not
 * asked again by itself while it is under way: it is given up, and whatever is looked at is asked anew.
 */
export async function invalidate(queryKey: readonly unknown[]): Promise<void> {
  await queryClient.cancelQueries({ queryKey })
  await queryClient.invalidateQueries({ queryKey })
}

/** Something was told by itself: an answer that is still under way was perhaps given before, and would put it back. */
export function invalidateIfFetching(queryKey: readonly unknown[]): void {
  if (queryClient.isFetching({ queryKey, exact: true }) > 0) void invalidate(queryKey)
}

/** Filled by live.ts; undefined until the first snapshot is here. */
export const useHome = (): Home | undefined => useQuery<Home>({ queryKey: homeKey, enabled: false }).data
export const useMe = (): Me | undefined => useQuery(me).data

/** Whether the person may do what needs this scope; the server has the last word, this only hides what would be refused. */
export const useMay = (scope: 'write' | 'approve' | 'manage'): boolean => useMe()?.scopes.includes(scope) ?? false

/** Changes the picture at once after an answer of the server; the event that follows says the same. */
export function changeHome(change: (home: Home) => Home): void {
  queryClient.setQueryData<Home>(homeKey, (home) => home && change(home))
}

export const isSignedOut = (error: unknown): boolean =>
  error instanceof ProblemError && (error.problem.code === 'unauthenticated' || error.problem.code === 'authentication_failed')
