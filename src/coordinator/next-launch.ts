/**
 * Which launches that wait on this machine start now (CO2). Projects take turns: the one with the
 * fewest processes is next, of its launches the oldest, so that many sessions of one project keep
 * nobody else waiting. Pure.
 */
import type { LaunchOrder } from '../protocol/processes/link.ts'

type Ordered = Pick<LaunchOrder, 'launchId' | 'agentId' | 'projectId' | 'maxProcesses'>

const counted = (orders: readonly Ordered[], of: 'agentId' | 'projectId'): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const order of orders) counts.set(order[of], (counts.get(order[of]) ?? 0) + 1)
  return counts
}

/** `waiting`: oldest first. Those whose agent has all the processes it may have are passed over. */
export function launchesToStart<Order extends Ordered>(
  waiting: readonly Order[],
  busy: readonly Ordered[],
  most: number,
): Order[] {
  const ofAgents = counted(busy, 'agentId')
  const ofProjects = counted(busy, 'projectId')
  const left = new Set(waiting)
  const started: Order[] = []
  while (busy.length + started.length < most) {
    let next: Order | undefined
    for (const order of left) {
      const { agentId, projectId, maxProcesses } = order
      if (maxProcesses !== null && (ofAgents.get(agentId) ?? 0) >= maxProcesses) continue
      const count = ofProjects.get(projectId) ?? 0
      if (next === undefined || count < (ofProjects.get(next.projectId) ?? 0)) next = order
    }
    if (next === undefined) return started
    left.delete(next)
    started.push(next)
    ofAgents.set(next.agentId, (ofAgents.get(next.agentId) ?? 0) + 1)
    ofProjects.set(next.projectId, (ofProjects.get(next.projectId) ?? 0) + 1)
  }
  return started
}
