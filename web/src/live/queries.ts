/**
 * Queries of the page. Projects and agents come as a snapshot and are kept up to date by the event
 * stream (live.ts); people, tokens and the server's health are asked for, and asked again when an
 * event says that they changed.
 */
import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { createClient, ProblemError } from '../../../src/client/client.ts'
import type { Device, Me, Person, Token } from '../../../src/protocol/access/people.ts'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'
import type { Task } from '../../../src/protocol/work/task.ts'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { useConnection } from './connection.ts'
import type { Home } from './home.ts'

export const client = createClient({ url: location.origin })

/** What nobody has looked at for so long is asked for again: a tab is open for days. */
const keptMs = 30 * 60_000
/** For answers about one state of something, which another one follows. */
export const keptShortlyMs = 60_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, gcTime: keptMs, retry: false },
  },
})

export const homeKey = ['home'] as const

/** The most entries read of one list. */
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

export const readAllProjects = (): Promise<Project[]> =>
  readAll(client.pages('/api/projects', { query: page }))
export const readAllAgents = (): Promise<Agent[]> =>
  readAll(client.pages('/api/agents', { query: page }))
export const readAllTasks = (projectId: string): Promise<Task[]> =>
  readAll(client.pages('/api/projects/{projectId}/tasks', { params: { projectId }, query: page }))
export const readAllWorkSessions = (projectId: string): Promise<WorkSession[]> =>
  readAll(
    client.pages('/api/projects/{projectId}/sessions', { params: { projectId }, query: page }),
  )

export const me = queryOptions<Me>({ queryKey: ['me'], queryFn: () => client.get('/api/me') })

/** Without an error where nobody is: browsers print each refused request in red. */
export const isSignedIn = async (): Promise<boolean> =>
  (await client.get('/api/login', { retries: 0 })).signedIn

export const people = queryOptions<Person[]>({
  queryKey: ['people'],
  queryFn: ({ signal }) => readAll(client.pages('/api/people', { query: page, signal })),
})
export const tokens = queryOptions<Token[]>({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => readAll(client.pages('/api/tokens', { query: page, signal })),
})

export const ownDevices = queryOptions<Device[]>({
  queryKey: ['devices'],
  queryFn: ({ signal }) => readAll(client.pages('/api/devices', { query: page, signal })),
  // Somebody signs in elsewhere, and no event says so.
  staleTime: 0,
})

/** Cancels the request under way and sends it again. */
export async function refetch(query: { readonly queryKey: readonly unknown[] }): Promise<void> {
  await queryClient.cancelQueries({ queryKey: query.queryKey })
  await queryClient.refetchQueries({ queryKey: query.queryKey })
}

/**
 * Marks cached answers as outdated and reads those on the screen again. Cancels requests under way,
 * whose answers may be older than the change.
 */
export async function invalidate(queryKey: readonly unknown[]): Promise<void> {
  await queryClient.cancelQueries({ queryKey })
  await queryClient.invalidateQueries({ queryKey })
}

/**
 * After an event: a request under way may return an older answer and undo it, so it is sent again.
 */
export function invalidateIfFetching(queryKey: readonly unknown[]): void {
  if (queryClient.isFetching({ queryKey, exact: true }) > 0) void invalidate(queryKey)
}

/** The home state, filled by live.ts; undefined until the first snapshot has come. */
export const useHome = (): Home | undefined =>
  useQuery<Home>({ queryKey: homeKey, enabled: false }).data
/** Asked for with the first snapshot (live.ts): who is not signed in would only be refused. */
export function useMe(): Me | undefined {
  const { state } = useConnection()
  return useQuery({ ...me, enabled: state === 'live' || state === 'offline' }).data
}

/** Whether the person has this scope. Only hides what the server would refuse anyway. */
export const useMay = (scope: 'write' | 'approve' | 'manage'): boolean =>
  useMe()?.scopes.includes(scope) ?? false

/**
 * Applies an answer of the server to the home state at once; the event that follows says the same.
 */
export function changeHome(change: (home: Home) => Home): void {
  queryClient.setQueryData<Home>(homeKey, (home) => home && change(home))
}

export const isSignedOut = (error: unknown): boolean =>
  error instanceof ProblemError &&
  (error.problem.code === 'unauthenticated' || error.problem.code === 'authentication_failed')
