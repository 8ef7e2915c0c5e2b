/** Which tasks of a project are shown, and in which groups. Pure. */
import type { Task } from '../../../src/protocol/work/task.ts'

export const statuses = [
  'pending',
  'blocked',
  'in_progress',
  'completed',
  'failed',
] as const satisfies readonly Task['status'][]

/** What the address of the page says; `agent` is empty for tasks of nobody. */
export interface TaskFilter {
  readonly q?: string
  readonly status?: Task['status']
  readonly agent?: string
}

export type Grouping = 'phase' | 'agent' | 'status'

export interface TaskGroup {
  /** The phase, the agent's id (empty: nobody) or the status. */
  readonly key: string
  /** The older task first: that is the order they were planned in. */
  readonly tasks: readonly Task[]
}

export const isFinished = ({ status }: Task): boolean =>
  status === 'completed' || status === 'failed'

/** Reads the filter out of an address, leaving out what is no filter. */
export function filterOf(search: Readonly<Record<string, unknown>>): TaskFilter {
  const { q, agent } = search
  const status = statuses.find((each) => each === search['status'])
  return {
    ...(typeof q === 'string' && q && { q }),
    ...(status && { status }),
    ...(typeof agent === 'string' && { agent }),
  }
}

/** Every word of the query must be in the title, the description, the type or the id. */
export function matchingTasks(
  tasks: readonly Task[],
  { q = '', status, agent }: TaskFilter,
): readonly Task[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  return tasks.filter((task) => {
    if (status !== undefined && task.status !== status) return false
    if (agent !== undefined && (task.assignedTo ?? '') !== agent) return false
    const text = `${task.title}\n${task.description ?? ''}\n${task.type}\n${task.id}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

const keyOf: Readonly<Record<Grouping, (task: Task) => string>> = {
  phase: ({ phase }) => String(phase),
  agent: ({ assignedTo }) => assignedTo ?? '',
  status: ({ status }) => status,
}

/** Phases by number, agents by id, statuses in their usual order. */
export function groupedTasks(tasks: readonly Task[], by: Grouping): readonly TaskGroup[] {
  const groups = [...Map.groupBy(tasks, keyOf[by])].map(([key, members]) => ({
    key,
    tasks: members.toReversed(),
  }))
  const place = (key: string): number =>
    by === 'phase' ? Number(key) : (statuses as readonly string[]).indexOf(key)
  return groups.sort((a, b) => place(a.key) - place(b.key) || a.key.localeCompare(b.key))
}
