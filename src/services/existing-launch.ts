/**
 * The launch a use case is about, read inside the transaction. Its project never changes; its coordinator may while it is held,
 * and then the wrong stream is locked: the caller looks again.
 */
import type { Launch } from '../domain/agent-process/lifecycle.ts'
import { Refusal } from '../domain/errors.ts'
import { findLaunch } from '../store/queries/launches.ts'
import type { Reader } from '../store/store.ts'
import { noSuchLaunch } from './refusals.ts'

/** From `find-launch`: what has to be locked for it. */
export interface WhichLaunch {
  readonly launchId: string
  readonly projectId: string
  readonly coordinatorId: string
  /** In which it has a role; null for one that pulls its work. */
  readonly userSessionId: string | null
}

export async function existingLaunch(
  reader: Reader,
  { launchId, projectId, coordinatorId }: Omit<WhichLaunch, 'userSessionId'>,
): Promise<Launch> {
  const launch = await findLaunch(reader, launchId)
  if (!launch || launch.projectId !== projectId) throw noSuchLaunch(launchId)
  if (launch.coordinatorId !== coordinatorId) throw new Refusal('busy', 'It was given to another coordinator; try again')
  return launch
}
