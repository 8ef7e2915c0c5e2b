/** What runs now, one row for each agent at work somewhere: its sessions, and processes that have none yet. Pure. */
import type { AgentSession } from '../../../src/protocol/agent-session.ts'
import type { Process } from '../../../src/protocol/process.ts'

export interface Running {
  readonly key: string
  readonly agentId: string
  readonly projectId: string
  readonly agentSession: AgentSession | undefined
  readonly process: Process | undefined
  /** By the server's clock. */
  readonly since: string
}

/** Those that need a person first, then the longest running. */
export function runningOf(processes: readonly Process[], agentSessions: readonly AgentSession[]): Running[] {
  const byLaunch = new Map(processes.map((each) => [each.launchId, each]))
  const signedIn = agentSessions.map((agentSession): Running => {
    const { id, agentId, projectId, launchId, createdAt } = agentSession
    return { key: id, agentId, projectId, agentSession, process: byLaunch.get(launchId ?? ''), since: createdAt }
  })
  const taken = new Set(agentSessions.map(({ launchId }) => launchId))
  const others = processes
    .filter(({ launchId, state }) => state !== 'ended' && !taken.has(launchId))
    .map((process): Running => {
      const { launchId, agentId, projectId, startedAt, orderedAt } = process
      return { key: launchId, agentId, projectId, agentSession: undefined, process, since: startedAt ?? orderedAt }
    })
  return [...signedIn, ...others].sort((a, b) => Number(isHeld(b)) - Number(isHeld(a)) || (a.since < b.since ? -1 : 1))
}

export const isHeld = ({ process }: Running): boolean => process?.state === 'held'

/** How many agents run in each project. */
export function runningByProject(running: readonly Running[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const each of running) if (!isHeld(each)) counts.set(each.projectId, (counts.get(each.projectId) ?? 0) + 1)
  return counts
}
