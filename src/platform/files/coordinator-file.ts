/**
 * `<data>/run/coordinator.json`: the running coordinator of a data folder, so that the next server
 * adopts it instead of starting another. The coordinator writes it and removes it at an orderly
 * end; after a crash its start time shows that it is stale.
 */
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldsOf } from '../json.ts'
import type { ProcessIdentity, ProcessSource } from '../processes/processes.ts'
import { writeFileAtomic } from './atomic-file.ts'
import { runFolder } from './data-folder.ts'
import { readJsonFile } from './plain-file.ts'

export interface RunningCoordinator extends ProcessIdentity {
  readonly bootId: string
  /** The version of its protocol. */
  readonly linkVersion: number
  readonly version: string
  readonly startedAt: string
}

const coordinatorFile = (data: string): string => join(runFolder(data), 'coordinator.json')

export const writeCoordinatorFile = (
  data: string,
  coordinator: RunningCoordinator,
): Promise<void> =>
  writeFileAtomic(coordinatorFile(data), `${JSON.stringify(coordinator, null, 2)}\n`)

/** The coordinator that is running; undefined when there is none. */
export async function findCoordinator(
  data: string,
  source: ProcessSource,
): Promise<RunningCoordinator | undefined> {
  const found = await readCoordinatorFile(data)
  return found && found.bootId === source.bootId() && source.birthOf(found.pid) === found.birth
    ? found
    : undefined
}

/** Removes the file if it belongs to this process. */
export async function removeCoordinatorFile(data: string, pid: number): Promise<void> {
  const found = await readCoordinatorFile(data)
  if (found?.pid === pid) await unlink(coordinatorFile(data)).catch(() => {})
}

async function readCoordinatorFile(data: string): Promise<RunningCoordinator | undefined> {
  const found = await readJsonFile(coordinatorFile(data))
  const { pid, birth, bootId, linkVersion } = fieldsOf(found)
  const isWhole =
    Number.isSafeInteger(pid) &&
    typeof birth === 'string' &&
    typeof bootId === 'string' &&
    typeof linkVersion === 'number'
  return isWhole ? (found as RunningCoordinator) : undefined
}
