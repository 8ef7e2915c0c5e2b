/**
 * Where a process works that serves a session of an agent that pulls (SN10): its coordinator makes
 * the place before the start, as it does for an agent that is prompted.
 */
import type { Detail } from '../../domain/notices.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import type { LaunchParticulars } from '../../protocol/processes/link.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import type { Reader } from '../../store/store.ts'
import { workspaceFor } from '../conversations/conversation-workplace.ts'

interface ThreadPlace {
  /** undefined: the project's folder. */
  readonly workspace: LaunchParticulars['workspace']
  /** Why its coordinator cannot make it. */
  readonly problem: Detail | undefined
}

export async function threadPlaceOf(
  reader: Reader,
  { lane, projectId, coordinatorId }: Launch,
): Promise<ThreadPlace> {
  const ofThread = { projectId, key: lane, originKey: '' }
  const workspace = (lane === '' ? null : await workspaceFor(reader, ofThread)) ?? undefined
  const coordinator = workspace && (await findCoordinatorRow(reader, coordinatorId))
  const problem =
    coordinator?.threads === 0
      ? statusNotice('coordinatorOfBefore', { machine: coordinator.machine })
      : undefined
  return { workspace, problem }
}
