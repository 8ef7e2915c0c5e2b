/** What is needed before resumed work starts (RS6); nothing when somebody is at it or will be started for it (CO3). */
import { say } from '../domain/sentences.ts'
import { blockersElsewhere } from '../domain/work-session/plan.ts'
import type { Missing } from '../protocol/resume.ts'
import { selectAgent } from '../store/queries/agents.ts'
import { selectAssignment } from '../store/queries/assignments.ts'
import { connectedCoordinators } from '../store/queries/coordinators.ts'
import { selectAtWork } from '../store/queries/role-agents.ts'
import type { TaskRow } from '../store/queries/tasks.ts'
import type { Reader } from '../store/store.ts'

/** `resumedFrom`: the work session that was interrupted; `tasks`: the unfinished ones that go on. */
export async function missingToStart(reader: Reader, resumedFrom: string, tasks: readonly TaskRow[]): Promise<Missing[]> {
  const missing = await missingForTasks(reader, tasks)
  const role = missing.length > 0 ? await reader.first(selectAtWork, { workSessionId: resumedFrom }) : undefined
  return role ? [{ what: 'role', detail: say('roleNeeded', { agent: role.agent_id, role: role.role }) }] : missing
}

async function missingForTasks(reader: Reader, tasks: readonly TaskRow[]): Promise<Missing[]> {
  const ready = tasks.filter(({ status }) => status === 'pending' || status === 'in_progress')
  const [first] = tasks
  if (!first) return [{ what: 'task', detail: say('noTaskLeft') }]
  if (ready.length === 0) return blockedTasks(tasks)
  const missing: Missing[] = []
  for (const [agentId, [task]] of Map.groupBy(ready, ({ assigned_to }) => assigned_to)) {
    const needed = task && (await missingForAgent(reader, agentId, task))
    if (!needed) return []
    missing.push(needed)
  }
  return missing.slice(0, namedAtMost)
}

const namedAtMost = 5

function blockedTasks(tasks: readonly TaskRow[]): Missing[] {
  const blockers = blockersElsewhere(tasks.map(({ id, blocked_by }) => ({ id, blockedBy: blocked_by })))
  return blockers.slice(0, namedAtMost).map((task) => ({ what: 'task', detail: say('taskNeeded', { task }) }))
}

async function missingForAgent(reader: Reader, agentId: string | null, task: TaskRow): Promise<Missing | undefined> {
  if (agentId === null) return { what: 'agent', detail: say('nobodyAssigned', { task: task.id }) }
  const agent = await reader.first(selectAgent, { id: agentId })
  const assigned = await reader.first(selectAssignment, { project_id: task.project_id, agent_id: agentId })
  if (!agent || !assigned) return { what: 'agent', detail: say('agentNotInProject', { agent: agentId, tasks: task.id }) }
  if (agent.command === null) return { what: 'agent', detail: say('agentByHand', { agent: agentId }) }
  if ((await connectedCoordinators(reader)).length > 0) return undefined
  return { what: 'machine', detail: say('noMachineFor', { agent: agentId }) }
}
