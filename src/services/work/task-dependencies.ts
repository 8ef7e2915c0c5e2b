/** Stores what a task depends on, and tells what of it is unfinished (TK2). Cycles are refused. */
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { findCycle, unfinishedOf } from '../../domain/work/task-dependencies.ts'
import { isTaskId } from '../../domain/work/task-lifecycle.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  deleteDependenciesOf,
  dependenciesOf,
  hasDependents,
  statusesOfDependencies,
} from '../../store/work/task-dependencies.ts'
import { noSuchTask } from '../refusals.ts'

interface OfTask {
  readonly projectId: string
  readonly taskId: string
}

export const distinct = (dependsOn: readonly string[]): string[] => [...new Set(dependsOn)]

/**
 * Stores a task's dependencies and returns the unfinished ones (TK2). Ids of later tasks may be
 * named; cycles are refused.
 */
export async function storeDependencies(
  tx: Tx,
  task: OfTask,
  dependsOn: readonly string[],
): Promise<string[]> {
  const { projectId, taskId } = task
  for (const id of dependsOn)
    if (!isTaskId(id) && !(await tx.row('tasks', { project_id: projectId, id })))
      throw noSuchTask(id)
  await refuseCycle(tx, task, dependsOn)
  await tx.write(deleteDependenciesOf, task)
  for (const id of dependsOn)
    await tx.insert('task_dependencies', { project_id: projectId, task_id: taskId, depends_on: id })
  return unfinishedFor(tx, task, dependsOn)
}

export const unfinishedFor = async (
  reader: Reader,
  task: OfTask,
  dependsOn: readonly string[],
): Promise<string[]> =>
  dependsOn.length === 0 ? [] : unfinishedOf(dependsOn, await statusesOfDependencies(reader, task))

async function refuseCycle(
  reader: Reader,
  task: OfTask,
  dependsOn: readonly string[],
): Promise<void> {
  const { projectId, taskId } = task
  const canClose =
    dependsOn.includes(taskId) || (dependsOn.length > 0 && (await hasDependents(reader, task)))
  const cycle = canClose && findCycle(await dependenciesOf(reader, projectId), taskId, dependsOn)
  if (cycle)
    throw new Refusal(
      'dependency_cycle',
      refusalText('taskCycle', { cycle: [...cycle, taskId].join(' → ') }),
      { cycle },
    )
}
