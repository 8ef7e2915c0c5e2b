/** Reads what is running: live processes, signed-in agents, and both as one list. */
import type { AgentSession } from '../protocol/agent-sessions/agent-session.ts'
import type { Process } from '../protocol/processes/process.ts'
import type { Client } from './client.ts'

const maxListed = 200
const liveProcessStates = ['waiting', 'starting', 'running', 'held'] as const
const liveAgentSessionStates = ['active', 'terminating'] as const

function newestFirst(a: Process, b: Process): number {
  if (a.orderedAt !== b.orderedAt) return a.orderedAt < b.orderedAt ? 1 : -1
  return a.launchId < b.launchId ? 1 : -1
}

/**
 * Reads the processes that have not ended. One that changes its state between the requests is
 * reported by its event.
 */
export async function readLiveProcesses(client: Client, signal?: AbortSignal): Promise<Process[]> {
  const ask = (state: Process['state']) =>
    client.get('/api/processes', { query: { state, limit: maxListed }, ...(signal && { signal }) })
  const found = (await Promise.all(liveProcessStates.map(ask))).flatMap(({ items }) => items)
  return [...new Map(found.map((each) => [each.launchId, each])).values()].sort(newestFirst)
}

export async function readLiveAgentSessions(
  client: Client,
  signal?: AbortSignal,
): Promise<AgentSession[]> {
  const ask = (state: AgentSession['state']) =>
    client.get('/api/agent-sessions', {
      query: { state, limit: maxListed },
      ...(signal && { signal }),
    })
  return (await Promise.all(liveAgentSessionStates.map(ask))).flatMap(({ items }) => items)
}

export interface RunningAgent {
  readonly key: string
  readonly agentId: string
  readonly projectId: string
  readonly agentSession: AgentSession | undefined
  readonly process: Process | undefined
  /** By the server's clock. */
  readonly since: string
}

/** Lists agents that need a person first, then the longest running. */
export function runningAgents(
  processes: readonly Process[],
  agentSessions: readonly AgentSession[],
): RunningAgent[] {
  const byLaunch = new Map(processes.map((each) => [each.launchId, each]))
  const signedIn = agentSessions.map((agentSession): RunningAgent => {
    const { id, agentId, projectId, launchId, createdAt } = agentSession
    return {
      key: id,
      agentId,
      projectId,
      agentSession,
      process: byLaunch.get(launchId ?? ''),
      since: createdAt,
    }
  })
  const taken = new Set(agentSessions.map(({ launchId }) => launchId))
  const others = processes
    .filter(({ launchId, state }) => state !== 'ended' && !taken.has(launchId))
    .map((process): RunningAgent => {
      const { launchId, agentId, projectId, startedAt, orderedAt } = process
      return {
        key: launchId,
        agentId,
        projectId,
        agentSession: undefined,
        process,
        since: startedAt ?? orderedAt,
      }
    })
  return [...signedIn, ...others].sort(
    (a, b) => Number(isHeld(b)) - Number(isHeld(a)) || (a.since < b.since ? -1 : 1),
  )
}

export const isHeld = ({ process }: RunningAgent): boolean => process?.state === 'held'

export function runningByProject(running: readonly RunningAgent[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const each of running)
    if (!isHeld(each)) counts.set(each.projectId, (counts.get(each.projectId) ?? 0) + 1)
  return counts
}
