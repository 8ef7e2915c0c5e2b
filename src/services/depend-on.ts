/**
 * Writes down what a task waits for and says which of it is unfinished (TK2). A task that is not there yet may be waited for, so
 * that a plan can be written in any order; what can never be a task is refused, and so is a circle, by name.
 */
import { because } from '../domain/because.ts'
import { Refusal } from '../domain/errors.ts'
import { findCycle, unfinishedOf } from '../domain/task/dependencies.ts'
import { isTaskId } from '../domain/task/id.ts'
import {
  deleteDependenciesOf,
  dependenciesOf,
  insertDependency,
  isWaitedFor,
  statusesOfDependencies,
} from '../store/queries/task-dependencies.ts'
import { selectTask } from '../store/queries/tasks.ts'
import type { Reader, Tx } from '../store/store.ts'
import { noSuchTask } from './refusals.ts'

interface OfTask {
  readonly projectId: string
  readonly taskId: string
}

/** Each of them once. */
export const distinct = (dependsOn: readonly string[]): string[] => [...new Set(dependsOn)]

export async function dependOn(tx: Tx, task: OfTask, dependsOn: readonly string[]): Promise<string[]> {
  const { projectId, taskId } = task
  for (const id of dependsOn) if (!isTaskId(id) && !(await tx.first(selectTask, { projectId, id }))) throw noSuchTask(id)
  await refuseCycle(tx, task, dependsOn)
  await tx.write(deleteDependenciesOf, task)
  for (const id of dependsOn) await tx.write(insertDependency, { project_id: projectId, task_id: taskId, depends_on: id })
  return unfinishedFor(tx, task, dependsOn)
}

/** In the order in which they were named. */
export const unfinishedFor = async (reader: Reader, task: OfTask, dependsOn: readonly string[]): Promise<string[]> =>
  dependsOn.length === 0 ? [] : unfinishedOf(dependsOn, await statusesOfDependencies(reader, task))

async function refuseCycle(reader: Reader, task: OfTask, dependsOn: readonly string[]): Promise<void> {
  const { projectId, taskId } = task
  const canClose = dependsOn.includes(taskId) || (dependsOn.length > 0 && (await isWaitedFor(reader, task)))
  const cycle = canClose && findCycle(await dependenciesOf(reader, projectId), taskId, dependsOn)
  if (cycle) throw new Refusal('dependency_cycle', because('taskCycle', { cycle: [...cycle, taskId].join(' → ') }), { cycle })
}
