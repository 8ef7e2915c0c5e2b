/** Task dependencies (TK2). Pure. */
import type { TaskStatus } from './task-lifecycle.ts'

/** Tasks by id, with the tasks they depend on. */
export type Dependencies = ReadonlyMap<string, readonly string[]>

/**
 * The shortest cycle that would arise if `taskId` depended on `dependsOn`: tasks in order, each
 * depending on the next, and the last on the first.
 */
export function findCycle(
  dependencies: Dependencies,
  taskId: string,
  dependsOn: readonly string[],
): string[] | undefined {
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

/** Only a completed task unblocks others; a failed or unknown one blocks them. */
export const unfinishedOf = (
  dependsOn: readonly string[],
  statusOf: (taskId: string) => TaskStatus | undefined,
): string[] => dependsOn.filter((taskId) => statusOf(taskId) !== 'completed')
