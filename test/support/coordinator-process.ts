/**
 * The coordinator that `up` has started, seen from outside; and whether anything of a data folder
 * still runs.
 */
import {
  findCoordinator,
  type RunningCoordinator,
} from '../../src/platform/files/coordinator-file.ts'
import { folderIdOf } from '../../src/platform/processes/launch-mark.ts'
import { type ProcessIdentity, signalExactly } from '../../src/platform/processes/processes.ts'
import { machine } from './script-process.ts'

/** Each look costs both sides something, and a machine that is busy the most. */
const lookEveryMs = 50

/** Waits until one runs; another than `not`. */
export async function coordinatorOf(
  data: string,
  not?: ProcessIdentity,
): Promise<RunningCoordinator> {
  for (;;) {
    const found = await findCoordinator(data, machine)
    if (found && found.pid !== not?.pid) return found
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}

/** The numbers of the agents' processes that carry the folder's mark. */
export async function agentsOf(data: string): Promise<number[]> {
  const folderId = await folderIdOf(data)
  return (await machine.list())
    .filter(({ mark }) => mark?.folderId === folderId)
    .map(({ pid }) => pid)
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
}

/**
 * Ends the coordinator of a data folder, which kills its agents; resolves when nothing of it runs.
 */
export async function endCoordinator(data: string): Promise<void> {
  const found = await findCoordinator(data, machine)
  if (!found) return
  // Two different signals are a first and a second one: at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) signalExactly(machine, found, signal)
  await until(() => machine.birthOf(found.pid) !== found.birth)
}
