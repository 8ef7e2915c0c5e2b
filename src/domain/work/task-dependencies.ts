/** Which tasks wait for which (TK2). Pure. */
import type { TaskStatus } from './task-lifecycle.ts'

/** Each task with the tasks it waits for. */
export type Dependencies = ReadonlyMap<string, readonly string[]>

/**
 * The cycle that would come to be if `taskId` waited for `dependsOn`: the tasks in the order in which each waits for the next,
 * beginning with `taskId`, the last of which waits for the first. The shortest there is, so that it can be read.
 */
export function findCycle(dependencies: Dependencies, taskId: string, dependsOn: readonly string[]): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue: string[] = []
  const visit = (next: string, from: string): void => {
    if (cameFrom.has(next)) return
    cameFrom.set(next, from)
    queue.push(next)
  }
  for (const next of dependsOn) visit(next, taskId)
  for (const current of queue) {
    if (current === taskId) return pathBack(cameFrom, taskId)
    for (const next of dependencies.get(current) ?? []) visit(next, current)
  }
  return undefined
}

function pathBack(cameFrom: ReadonlyMap<string, string>, taskId: string): string[] {
  const path: string[] = []
  let at = taskId
  do {
    at = cameFrom.get(at) ?? taskId
    path.unshift(at)
  } while (at !== taskId)
  return path
}

/** Only a completed task lets others go on; one that failed, or is not known, holds them. */
export const unfinishedOf = (dependsOn: readonly string[], statusOf: (taskId: string) => TaskStatus | undefined): string[] =>
  dependsOn.filter((taskId) => statusOf(taskId) !== 'completed')

interface WaitingTask {
  readonly id: string
  readonly status: TaskStatus
  readonly dependsOn: readonly string[]
}

/** The blocked tasks that waited for this one last, now that it is completed. */
export function unblockedBy(completedId: string, tasks: readonly WaitingTask[]): string[] {
  const statuses = new Map(tasks.map(({ id, status }) => [id, status]))
  statuses.set(completedId, 'completed')
  return tasks
    .filter(({ status, dependsOn }) => status === 'blocked' && dependsOn.includes(completedId))
    .filter(({ dependsOn }) => unfinishedOf(dependsOn, (id) => statuses.get(id)).length === 0)
    .map(({ id }) => id)
}
